import { describe, expect, it } from 'vitest';
import { extractPage, type PageInput } from '../../../src/core/extract/extract-page.js';

async function wallOf(html: string, rest: Partial<PageInput> = {}) {
  const page = await extractPage(
    { body: Buffer.from(html), contentType: null, url: 'https://site.example/a', ...rest },
    { mode: 'enhanced' },
  );
  return page?.wall;
}

const TAGS = '<meta property=og:title content=t><meta property=og:description content=d>';
const LOGIN = '<title>Log in</title><body><form><input type=password></form>';

describe('walls', () => {
  it.each<[string, string, Partial<PageInput>]>([
    ['a header that says so', '<title>x</title>', { headers: { 'cf-mitigated': 'challenge' } }],
    ['a known script', '<title>x</title><script>window._cf_chl_opt={}</script>', {}],
    ['a known title on a short page', '<title>Just a moment...</title><body>wait</body>', {}],
  ])('recognises a challenge by %s', async (_sign, html, rest) => {
    expect(await wallOf(html, rest)).toBe('challenge');
  });

  it('recognises a consent page by its host', async () => {
    expect(
      await wallOf(`${TAGS}<title>x</title>`, { url: 'https://consent.video.example/m?continue=x' }),
    ).toBe('consent');
  });

  it('recognises a consent page by its title', async () => {
    expect(await wallOf('<title>Before you continue to YouTube</title><body>x</body>')).toBe('consent');
  });

  it('takes a login page for a wall when a redirect led there', async () => {
    const rest = { url: 'https://site.example/login?next=/a', requestedUrl: 'https://site.example/a' };

    expect(await wallOf(LOGIN, rest)).toBe('login');
  });

  it('takes a login page for a page when it was asked for', async () => {
    const url = 'https://site.example/login';

    expect(await wallOf(LOGIN, { url, requestedUrl: url })).toBeNull();
  });

  it('recognises a login form at any address a redirect led to', async () => {
    const rest = { url: 'https://site.example/start', requestedUrl: 'https://site.example/a' };

    expect(await wallOf(LOGIN, rest)).toBe('login');
  });

  it.each<[string, string]>([
    ['with tags of its own', `${TAGS}<title>Access denied</title>`],
    ['with much text', `<title>Access denied</title><body>${'text '.repeat(2_000)}`],
    ['that mentions a challenge', '<title>How the "Just a moment..." page works</title><body>x</body>'],
    [
      'with a background check',
      '<title>x</title><script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>',
    ],
  ])('lets a page pass %s', async (_sign, html) => {
    expect(await wallOf(html)).toBeNull();
  });
});
