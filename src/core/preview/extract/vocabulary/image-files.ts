import { patterns, type Vocabulary } from './vocabulary.js';

const ENDING = String.raw`(?:[._-][0-9a-f]{6,40})?\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])`;

const NOTHING: Vocabulary['words'] = {
  pixel: '/tracking-pixel.png',
  spacer: '/spacer.gif',
  blank: '/i/blank.3f2a9c1b.gif',
  '1x1': '/1x1.png',
  '1px': '/1px.png',
  transparent: '/transparent.png',
  clear: '/clear.gif',
  cleardot: '/cleardot.gif',
  shim: '/shim.gif',
  placeholder: '/image-placeholder.png',
  loading: '/i/loading.svg',
  loader: '/loader.gif',
  preloader: '/preloader.gif',
  'ajax-loader': '/ajax-loader.gif',
  spinner: '/spinner.svg',
  'lazy-?load(?:ing)?': '/lazyload.png',
  lazy: '/lazy.png',
  empty: '/i/empty.png',
  dummy: '/dummy_600x400.png',
  'gr[ae]y': '/grey.gif',
};

/** Names of files that show nothing; `pixel-phone.jpg` is none. */
export const EMPTY_FILES = patterns(
  NOTHING,
  (names) =>
    String.raw`/(?:tracking[_-]?|transparent[_-]?|white[_-]?|image[_-]?|img[_-]?)?(?:${names})` +
    String.raw`(?:[_-](?:image|img|icon|pixel|bg|gif))?(?:[_.-]?\d{1,4}(?:x\d{1,4})?)?${ENDING}`,
);

/** Names of files that say that there is no other. */
export const MISSING_FILES = patterns(
  {
    'no[_-]?(?:image|img|photo|picture|pic|thumb|thumbnail|cover)(?:[_-]?(?:available|found|\\d{1,4}(?:x\\d{1,4})?))?':
      '/i/noimage_300x200.jpg',
    '(?:image|photo)[_-]?not[_-]?(?:available|found)': '/i/image-not-available.jpg',
  },
  (names) => `/(?:${names})${ENDING}`,
);

/** The same for names that only mean it of formats that photos do not have. */
export const EMPTY_SMALL_FILES = patterns(
  {
    '[a-z0-9]\\.(?:gif|svg)': '/s.gif',
    'none\\.(?:gif|svg)': '/none.gif',
    'null\\.(?:gif|svg)': '/null.gif',
    'nil\\.(?:gif|svg)': '/nil.gif',
    'pi?x\\.(?:gif|svg)': '/pix.gif',
    'dot\\.(?:gif|svg)': '/dot.gif',
    'trans\\.(?:gif|svg)': '/trans.gif',
    'bg\\.(?:gif|svg)': '/bg.gif',
    'nothing\\.(?:gif|svg)': '/nothing.gif',
    'no\\.(?:gif|svg)': '/no.gif',
    'default\\.(?:gif|svg)': '/default.gif',
    'holder\\.(?:gif|svg)': '/holder.svg',
    '1x1[\\w-]{1,20}\\.(?:gif|svg)': '/1x1_transparent.gif',
    'missing\\.(?:gif|svg|png)': '/missing.png',
  },
  (names) => String.raw`/(?:${names})(?:$|[?#])`,
);

/** The plainest of these: pages that name an image for themselves seldom mean a photo by any other. */
export const SPACER_FILES = patterns(
  {
    pixel: '/tracking_pixel.gif',
    spacer: '/spacer.gif',
    blank: '/blank.gif',
    '1x1': '/1x1.png',
    transparent: '/transparent.png',
    clear: '/clear.gif',
    shim: '/shim.gif',
    placeholder: '/placeholder-600x400.png',
    loading: '/loading.gif',
    loader: '/loader.gif',
    spinner: '/spinner.svg',
  },
  (names) =>
    String.raw`/(?:tracking[_-]?|transparent[_-]?|white[_-]?)?(?:${names})(?:[_-]?\d{1,4}(?:x\d{1,4})?)?\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])`,
);

/** Addresses that count visitors. */
export const TRACKERS = patterns(
  {
    'doubleclick\\.net': 'https://ad.doubleclick.net/x.jpg',
    'facebook\\.com/tr': 'https://www.facebook.com/tr?id=1',
    scorecardresearch: 'https://sb.scorecardresearch.com/p?c1=2',
    quantserve: 'https://pixel.quantserve.com/x.gif',
    'google-analytics': 'https://www.google-analytics.com/__utm.gif',
    googletagmanager: 'https://www.googletagmanager.com/ns.html',
    'mc\\.yandex': 'https://mc.yandex.ru/watch/1',
    'yadro\\.ru': 'https://counter.yadro.ru/x?t44',
    'top\\.mail\\.ru/counter': 'https://top.mail.ru/counter2',
    'hit\\.gemius': 'https://x.hit.gemius.pl/y.jpg',
    'bat\\.bing': 'https://bat.bing.com/action/0',
    'px\\.ads': 'https://px.ads.linkedin.com/c',
    'stats\\.wp\\.com': 'https://stats.wp.com/g.jpg',
    '/ads?[/?]': 'https://site.example/ads/1.jpg',
    '/(?:matomo|piwik)\\.php[/?]': 'https://stats.example/matomo.php?idsite=1',
  },
  (addresses) => addresses,
);

/** The same by the last part of their paths. */
export const TRACKER_PATHS = patterns(
  {
    beacon: 'https://c.example/beacon/1',
    collect: 'https://c.example/collect?x=1',
    counter: 'https://c.example/counter.gif',
    hit: 'https://c.example/hit?x=1',
    impression: 'https://c.example/impression.gif',
    pixel: 'https://c.example/pixel.php',
    'track(?:ing)?': 'https://c.example/track.gif',
  },
  (names) => String.raw`/(?:${names})(?:[/?]|\.(?:php|gif|aspx?)\b)`,
);

/** Words in addresses and class names of images that are not what a page is about; whole words but `logo`. */
export const MINOR_WORDS = patterns(
  {
    'icons?': '/img/icon-32.png',
    'favicons?': '/favicon.png',
    'avatars?': '/u/avatars/1.png',
    'sprites?': '/sprite.png',
    'emojis?': '/emoji/1.png',
    'emoticons?': '/emoticons/smile.gif',
    'smil(?:ies|ey|eys)': '/smilies/1.gif',
    'badges?': '/badge/build.png',
    shields: 'https://img.shields.io/npm/v/x',
    'buttons?': '/button-go.png',
    btn: '/btn_donate.gif',
    'banners?': '/banner-728x90.jpg',
    gravatar: 'https://www.gravatar.example/x',
    'profiles?': '/profile/1.jpg',
    'authors?': '/authors/a.jpg',
    'userpics?': '/userpic/1.jpg',
    'headshots?': '/headshots/a.jpg',
    'share|sharing': '/share-strip.gif',
    social: '/social/x.png',
    'flags?': '/flags/at.png',
    'ratings?': '/rating-5.png',
    'stars?': '/stars_4.png',
    'arrows?': '/arrow-left.png',
    captcha: '/captcha.jpg',
    'sponsors?': '/sponsors/a.png',
    'advert\\w{0,10}': '/advertisement.jpg',
    'ads?': '/x-ad-1.jpg',
    'logo(?:s|type)?': '/sitelogo.png',
  },
  (words) => String.raw`(?:^|[^a-z]|(?=logo))(?:${words})(?![a-z])`,
);

/** The same in the alternative text. */
export const MINOR_TEXTS = patterns(
  {
    '(?:^|\\s)logo\\s*$|^logo(?:\\s|$)': 'The Daily logo',
    '(?:^|\\s)avatar\\s*$|^avatar(?:\\s|$)': 'Avatar of Jane',
    '(?:^|\\s)icon\\s*$|^icon(?:\\s|$)': 'Search icon',
    '(?:^|\\s)badge\\s*$|^badge(?:\\s|$)': 'npm badge',
    '(?:build|coverage|ci) status': 'Build Status',
  },
  (texts) => texts,
);

/** Words in addresses of blurred or tiny copies, which scripts replace. */
export const POOR_WORDS = patterns(
  {
    'blur(?:red|ry)?': '/i/a-blur.jpg',
    lqip: '/i/a-lqip.jpg',
    tiny: '/tiny/a.jpg',
    'low-?res': '/a_lowres.jpg',
    placeholder: '/a-placeholder.jpg',
    preload: '/preload/a.jpg',
  },
  (words) => `(?:^|[^a-z])(?:${words})(?![a-z])`,
);
