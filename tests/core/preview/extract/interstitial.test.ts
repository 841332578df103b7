import { describe, expect, it } from 'vitest';
import { extractPage, type PageInput } from '../../../../src/core/preview/extract/extract-page.js';

async function interstitialOf(html: string, rest: Partial<PageInput> = {}) {
  const page = await extractPage(
    { body: Buffer.from(html), contentType: null, url: 'https://site.example/a', ...rest },
    { mode: 'enhanced' },
  );
  return page?.interstitial;
}

const TAGS = '<meta property=og:title content=t><meta property=og:description content=d>';
const TEXT =
  '<p>On Saturday we walked around the lake, had bread and cheese at the old mill and were home before the rain began.</p>';
const LOGIN = '<title>Log in</title><body><form><input type=password></form>';

/** Titles of ordinary pages that say what interstitials say, too. */
const ORDINARY_TITLES = [
  'Please Wait - Lyrics',
  'CAPTCHA - Acme docs',
  'Captcha | Wiki',
  'One moment, please - A novel',
  'Just a moment | Song',
  'Un instant - Roman',
  'Access Denied - Film (1947)',
  'Blocked | Band',
  'Forbidden - Encyclopedia',
  '403 Forbidden - Acme docs',
  'Too many requests | Rate limits',
  'Security check - How it works',
  'Security verification | Handbook',
  'Unusual traffic - Morning report',
  'Verification required - New rules for taxis',
  'DDoS-Guard | Companies',
  'Are you a robot? - The magazine',
  'Are you human? | Talk',
  'Robot check - A toy for children',
  'Human verification - Acme docs',
  'Client Challenge | The rowing club',
  'Pardon our interruption - Radio play',
  'Prove your humanity | Essay',
  'Request unsuccessful - Error reference',
  'Checking your browser | Accessibility tests',
  'JavaScript is not available - Support',
  'How to prove that you are human',
  '验证码 - 百科',
  'Before you continue reading',
  'Log in, log out: how forests are cut',
  'Login shells explained',
  'Sign in ancient Rome',
  'Connexion des lacs',
  'Вход в метро',
];

describe('interstitials', () => {
  it.each<[string, string, Partial<PageInput>]>([
    ['a header that says so', '<title>x</title>', { headers: { 'cf-mitigated': 'challenge' } }],
    ['a known script', '<title>x</title><script>window._cf_chl_opt={}</script>', {}],
    ['a known title on a short page', '<title>Just a moment...</title><body>wait</body>', {}],
    [
      'a known title after the name of the site',
      '<title>Shop - Access to this page has been denied</title>',
      {},
    ],
    [
      'the description its maker writes',
      '<title>Robot or human?</title><meta name=description content=px-captcha>',
      {},
    ],
  ])('recognises a challenge by %s', async (_sign, html, rest) => {
    expect(await interstitialOf(html, rest)).toBe('challenge');
  });

  it.each<[string, string, Partial<PageInput>]>([
    [
      'an article on logging in beside a form',
      `<title>How to fix a failed SSH login</title><form><input type=password></form>${TEXT.repeat(3)}`,
      {},
    ],
    [
      'an article at the same address without its fragment',
      `<title>Fixing a login</title><form><input type=password></form>${TEXT.repeat(40)}`,
      { url: 'https://www.site.example/a', requestedUrl: 'http://site.example/a#x' },
    ],
  ])('takes %s for a page', async (_what, html, rest) => {
    expect(await interstitialOf(html, rest)).toBeNull();
  });

  it('recognises a consent page by its host', async () => {
    expect(
      await interstitialOf(`${TAGS}<title>x</title>`, { url: 'https://consent.video.example/m?continue=x' }),
    ).toBe('consent');
  });

  it('takes a login page for an interstitial when a redirect led there', async () => {
    const rest = { url: 'https://site.example/login?next=/a', requestedUrl: 'https://site.example/a' };

    expect(await interstitialOf(LOGIN, rest)).toBe('login');
  });

  it.each([['Log in | Company Wiki'], ['Company Wiki - Sign in'], ['Anmelden – Firma'], ['登录']])(
    'recognises a login form in the place of a page: %s',
    async (title) => {
      const html = `<title>${title}</title><body><form><label>Name</label><input><input type=password></form>`;

      expect(await interstitialOf(html)).toBe('login');
    },
  );

  it.each<[string, string, string]>([
    [
      'a host that may be of a language',
      'https://id.encyclopedia.example/wiki/Danau',
      `${TAGS}<title>Danau</title>`,
    ],
    [
      'a host that may be of a language, without tags',
      'https://id.encyclopedia.example/wiki/Danau',
      '<title>Danau</title>',
    ],
    ['a page about logins', 'https://docs.dev.example/guides/login/', `${TAGS}<title>Log in users</title>`],
  ])('lets a redirect to %s pass', async (_what, url, html) => {
    expect(await interstitialOf(html, { url, requestedUrl: 'https://short.example/x' })).toBeNull();
  });

  it.each([
    ['with a place to return to', 'https://social.example/login/?next=%2Fa', `${TAGS}<title>Log in</title>`],
    ['on a host of accounts', 'https://accounts.corp.example/start', LOGIN],
  ])('takes a redirect to a login %s for an interstitial', async (_what, url, html) => {
    expect(await interstitialOf(html, { url, requestedUrl: 'https://social.example/a' })).toBe('login');
  });

  it.each<[string, string]>([
    ['that is called like a challenge', `<title>Just a moment</title><body>${TEXT}`],
    ['about a film called like one', `<title>Access Denied</title><body>${TEXT}`],
    ['with tags of its own', `${TAGS}<title>Access denied</title>`],
  ])('lets a page pass %s', async (_sign, html) => {
    expect(await interstitialOf(html)).toBeNull();
  });

  it.each(ORDINARY_TITLES)('takes a page called "%s" for one', async (title) => {
    const about = `<p>A captcha tells whether you are human: it looks for unusual traffic before your request is answered.</p>`;
    for (const body of [TEXT, about + TEXT, `${TEXT}<form><input type=password></form>${TEXT.repeat(6)}`])
      expect(await interstitialOf(`<title>${title}</title><body>${body}`)).toBeNull();
  });
});
