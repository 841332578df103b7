import { describe, expect, it } from 'vitest';

import { extractPage } from '../../../../../src/core/preview/extract/extract-page.js';

/** Titles of ordinary pages that say what interstitials say, too. */
const TITLES = [
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

const LITTLE = '<p>A few words.</p>';
const SOME = `<p>On Saturday we walked around the lake, had bread and cheese at the old mill and were home before the rain.</p>`;
/** Speaks of its subject as interstitials do of themselves. */
const ABOUT = `<p>A captcha tells whether you are human: it looks for unusual traffic before your request is answered.</p>${SOME}`;

async function interstitialOf(html: string, rest: { url: string; requestedUrl?: string }) {
  const input = { body: Buffer.from(html), contentType: 'text/html; charset=utf-8', ...rest };
  return (await extractPage(input, { mode: 'enhanced' }))?.interstitial;
}

describe('an ordinary page is no interstitial', () => {
  it.each(TITLES)('%s', async (title) => {
    const at = { url: 'https://site.example/a' };
    for (const body of [SOME, ABOUT, `${SOME}<form><input type=password></form>${SOME.repeat(6)}`]) {
      expect(await interstitialOf(`<title>${title}</title><body>${body}`, at)).toBeNull();
    }
  });

  it.each(TITLES.slice(0, 2))('%s, with hardly any text', async (title) => {
    const at = { url: 'https://site.example/a' };
    for (const body of [LITTLE, '<div id=app></div>']) {
      expect(await interstitialOf(`<title>${title}</title><body>${body}`, at)).toBeNull();
    }
  });

  it.each([
    ['a host of a language', 'https://id.example.org/wiki/Danau', '<title>Danau</title>'],
    [
      'one with a box for members',
      'https://id.example.org/danau',
      '<title>Danau</title><input type=password>',
    ],
    ['one that was told where from', 'https://id.example.org/danau?redirect=/a', '<title>Danau</title>'],
    ['both', 'https://id.example.org/?next=/a', `<title>Danau</title>${SOME.repeat(6)}<input type=password>`],
    [
      'a page on logging in',
      'https://docs.example.org/guides/login/',
      `<title>Guide</title>${SOME.repeat(6)}`,
    ],
    ['a short page on logging in', 'https://docs.example.org/guides/login/', `<title>Guide</title>${SOME}`],
    ['a host of accounts', 'https://accounts.example.org/2024/', `<title>Annual accounts</title>${SOME}`],
  ])('a redirect to %s', async (_what, url, html) => {
    const requestedUrl = 'https://example.org/';
    expect(await interstitialOf(`${html}${SOME}`, { url, requestedUrl })).toBeNull();
  });
});
