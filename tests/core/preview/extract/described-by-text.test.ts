import { describe, expect, it } from 'vitest';
import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';

const TEXT =
  'The council has decided on Monday evening to build a new bridge over the river, which will be open to cyclists from next year on.';
const P = `<p>${TEXT}</p>`;

async function pageOf(html: string) {
  const input = {
    body: Buffer.from(html),
    contentType: 'text/html; charset=utf-8',
    url: 'https://site.example/',
  };
  return extractPage(input, { mode: 'enhanced' });
}

async function descriptionOf(html: string) {
  return (await pageOf(html))?.openGraph.get('og:description');
}

describe('a page whose text stands in an unlikely place is described by it', () => {
  it.each([
    ['a form around the page', `<form action=/page.aspx><div>${P}</div></form>`],
    ['a body with cookies not set', `<body class="home cookies-not-set">${P}`],
    ['an article of a newsletter', `<article class="newsletter-post post">${P}</article>`],
    ['a body shown by a script', `<body style="visibility:hidden">${P}`],
    ['a wrapper hidden from readers', `<div aria-hidden="true">${P}</div>`],
    ['the header of an article', `<article><header><h1>Head</h1>${P}</header></article>`],
    ['a navigation left open', `<nav><a href=/>Home</a>${P}`],
    ['a frame left open', `<iframe src=/x>${P}`],
    ['an anchor closed as in XML', `<a href=/x />${P}`],
  ])('%s', async (_place, html) => {
    expect(await descriptionOf(html)).toBe(TEXT);
  });
});

const REST = 'to go on with the many things that you always wanted to do with the machine that you own now.';

describe('a sentence is not broken', () => {
  it.each([
    ['a formula', `Let <math><mi>G</mi></math> be a group ${REST}`, `Let G be a group ${REST}`],
    ['a button', `Press <button>here</button> ${REST}`, `Press ${REST}`],
    ['tags of the head', `Press <meta itemprop=a content=b><link rel=c href=d>${REST}`, `Press ${REST}`],
    ['a script and a style', `Press <script>1</script><style>a</style>${REST}`, `Press ${REST}`],
    ['a line break', `Press it<br>${REST}`, `Press it ${REST}`],
  ])('by %s', async (_what, inside, expected) => {
    expect(await descriptionOf(`<title>t</title><p>${inside}</p>`)).toBe(expected);
  });
});

describe('scripts without blanks', () => {
  it.each([
    ['登录 注册 手机版', '市议会周一晚上决定在河上修建一座新桥，从明年起向骑自行车的人开放。'],
    [
      'ホーム ニュース 会社',
      '市議会は月曜の夜、川に新しい橋を架けることを決めた。来年から渡れるようになる。',
    ],
    ['登录 注册 手机版', '市议会决定修建新桥。'],
  ])('say more in fewer characters than %s', async (menu, text) => {
    expect(
      await descriptionOf(`<title>t</title><div>${menu}</div><p>${text}</p><div>更多新闻</div>`),
    ).toMatch(new RegExp(`^${text}`));
  });
});

const SHORT = 'The bridge over the river is open.';

describe('what sites write on all pages is no description', () => {
  it.each([
    [
      'We and our 842 partners store and access personal data, like browsing data or identifiers, on your device.',
    ],
    [
      'This website uses cookies to improve your experience. We assume that you are fine with this, or go away.',
    ],
    [
      'Diese Webseite verwendet Cookies, um Inhalte und Anzeigen zu personalisieren und die Zugriffe zu zählen.',
    ],
    [
      'Please enable JavaScript in your browser settings in order to view this site as it was made to be seen.',
    ],
    ['© 2024 Some company of people who build bridges. All rights reserved. Terms and conditions may apply.'],
  ])('%s', async (notice) => {
    expect(await descriptionOf(`<title>t</title><div>${notice}</div><p>${SHORT}</p>`)).toBe(SHORT);
    expect(await descriptionOf(`<title>t</title><p>${SHORT}</p><p>${notice}</p>`)).toBe(SHORT);
  });
});

describe('the main text comes first', () => {
  const about = `<div>${'This text about our company is long. '.repeat(5)}</div>`;

  it.each([
    ['in the main part', `<main><p>${SHORT}</p></main>`],
    ['in what is marked as its body', `<div itemprop=articleBody>${P}</div>`],
    ['behind the heading', `<h1>Bridge</h1>${P}`],
  ])('%s', async (_where, html) => {
    expect(await descriptionOf(`<title>t</title>${about}${html}${about}`)).toMatch(/^The (?:bridge|council)/);
  });
});

describe('a page without tags', () => {
  it.each([
    ['of paragraphs', `Minutes of the meeting\n\nPresent: all.\n\n${TEXT}\n`],
    ['with a body', `<html><body>Minutes of the meeting\r\n\r\n${TEXT}`],
  ])('%s has its first line for title and what follows for description', async (_kind, html) => {
    const page = await pageOf(html);

    expect(page?.openGraph.get('og:title')).toBe('Minutes of the meeting');
    expect(page?.openGraph.get('og:description')).toBe(TEXT);
  });
});

describe('a title', () => {
  it.each([
    ['behind it', '<title>My page\n<meta name=a content=b><body><p>text'],
    [
      'up to the title of a drawing',
      '<title>My page\n<link rel=a href=b></head><body><svg><title>icon</title></svg>',
    ],
  ])('that was left open does not have the page %s in it', async (_where, html) => {
    expect((await pageOf(html))?.openGraph.get('og:title')).toBe('My page');
  });

  it.each(['<h1>Only this</h1>', '<title>Only this - Site</title><div>Only this</div>', '<body>Only this'])(
    'is not repeated by a description: %s',
    async (html) => {
      expect(await descriptionOf(html)).toBeNull();
    },
  );
});
