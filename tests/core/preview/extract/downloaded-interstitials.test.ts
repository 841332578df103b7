import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';
import { page, redirect, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestDownloader, outcome, PAGE } from '../download/download-setup.js';

const ORDINARY = '<title>An ordinary title</title><body><p>Some words of text.</body>';
const LOGIN = '<title>Log in</title><body><form><input type=password></form>';

describe('a page that was downloaded', () => {
  let site: RemoteSite;
  const downloader = createTestDownloader();

  beforeAll(async () => {
    site = await startRemoteSite();
  });
  afterAll(() => site.close());
  afterEach(() => site.pages.clear());

  const interstitialAt = async (path: string) => {
    const requestedUrl = site.url(path);
    const { body, contentType, finalUrl, headers } = await downloader.download({
      ...PAGE,
      url: requestedUrl,
    });
    const input = { body, contentType, url: finalUrl, requestedUrl, headers: Object.fromEntries(headers) };
    return (await extractPage(input, { mode: 'enhanced' }))?.interstitial;
  };

  it.each<[string, number, Record<string, string>]>([
    ['cf-mitigated: challenge', 200, { 'cf-mitigated': 'challenge' }],
    ['x-amzn-waf-action: challenge', 202, { 'x-amzn-waf-action': 'challenge' }],
    ['x-amzn-waf-action: captcha', 200, { 'x-amzn-waf-action': 'captcha' }],
  ])('is a challenge by the header %s, whatever it says', async (_header, status, headers) => {
    site.pages.set('/a', page(ORDINARY, { status, headers }));

    expect(await interstitialAt('/a')).toBe('challenge');
  });

  it('is a challenge by its title', async () => {
    site.pages.set('/a', page('<title>Just a moment...</title><body>wait', { status: 202 }));

    expect(await interstitialAt('/a')).toBe('challenge');
  });

  it('is a login when a redirect led there', async () => {
    site.pages.set('/a', redirect('/login?next=/a'));
    site.pages.set('/login', page(LOGIN));

    expect(await interstitialAt('/a')).toBe('login');
  });

  it('is a page without such signs', async () => {
    site.pages.set('/a', page(ORDINARY, { headers: { 'cf-mitigated': 'none', server: 'cloudflare' } }));

    expect(await interstitialAt('/a')).toBeNull();
  });

  it.each([401, 403, 429, 503])('is none at all with status %i', async (status) => {
    site.pages.set('/a', page('<title>Access denied</title>', { status }));

    expect(await outcome(downloader, { url: site.url('/a') })).toMatchObject({
      status: 502,
      message: `Got error ${status}`,
    });
  });
});
