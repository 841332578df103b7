import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { createToken, preview } from '../../../support/clients/preview-client.js';
import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { createSystemNames, type SystemNames } from '../../../support/system-names.js';
import { PATIENCE_MS } from '../../../support/patience.js';

const SLOW_LINKS = 300;
const LIMIT_MS = 2000;
/** Half of the default of previews.max_concurrent. */
const PLACES = 16;
/** Default of previews.max_concurrent_per_host. */
const PLACES_OF_HOST = 2;

let dns: DnsServer;
let names: SystemNames;
let site: RemoteSite;
let service: TestService;
let image: Buffer;
let bob: string;
/** Those that are slow, and what waits behind them. */
const slow: Promise<unknown>[] = [];

/** A page with an image and an oEmbed answer, all of which are asked for one after the other. */
function addWholePage(path: string, host = 'good.example'): string {
  const [oembed, picture] = [`${path}-oembed`, `${path}-image`];
  const head = [
    `<link rel="alternate" type="application/json+oembed" href="${site.url(oembed, host)}">`,
    `<meta property="og:image" content="${site.url(picture, host)}">`,
  ];
  site.pages.set(path, page(`<html><head><title>There</title>${head.join('')}</head></html>`));
  const said = { type: 'link', version: '1.0', title: 'Said', author_name: 'Carol' };
  site.pages.set(oembed, page(JSON.stringify(said), { type: 'application/json' }));
  site.pages.set(picture, page(image, { type: 'image/webp' }));
  return site.url(path, host);
}

const askForSlow = (token: string, links: readonly string[]): void => {
  slow.push(...links.map((link) => preview(service, token, link).catch(() => null)));
};
const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();

beforeAll(async () => {
  image = await sampleImage(64, 64).webp().toBuffer();
  dns = await startDnsServer();
  for (let at = 0; at < SLOW_LINKS; at += 1) dns.zones.set(`slow-${at}.example`, { A: ['127.0.0.1'] });
  for (const name of ['good.example', 'popular.example']) dns.zones.set(name, { A: ['127.0.0.1'] });
  names = await createSystemNames([dns.address]);
  site = await startRemoteSite();
  site.pages.set('/slow', () => {});
  service = await startTestService({ dnsFiles: names.files });
  const alice = await createToken(service);
  bob = await createToken(service, '@bob:notary.test');
  // Starts the thread that reads pages.
  await preview(service, bob, addWholePage('/first'));
  const links = Array.from({ length: SLOW_LINKS }, (_, at) => site.url('/slow', `slow-${at}.example`));
  askForSlow(alice, [...links, addWholePage('/shared'), addWholePage('/part')]);
  const waiting = `vidimus_preview_work{work="download",state="waiting"} ${SLOW_LINKS + 2 - PLACES}`;
  await vi.waitUntil(async () => (await metrics()).includes(waiting), { timeout: PATIENCE_MS });
});
afterAll(async () => {
  await site.close();
  await Promise.all(slow);
  await service.remove();
  await names.remove();
  await dns.close();
});

describe('a user with links that are slow, on default settings', () => {
  it('has half of the places, having 300, and holds up nobody else', async () => {
    expect(site.hits.filter(({ path }) => path === '/slow')).toHaveLength(PLACES);
    const startMs = performance.now();
    const answer = await preview(service, bob, addWholePage('/own'));

    expect(answer.body).toMatchObject({ 'og:title': 'Said', 'og:image:width': 64 });
    expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
    expect(await metrics()).toContain(
      `vidimus_preview_bound_total{work="download",bound="asker"} ${SLOW_LINKS + 2 - PLACES}`,
    );
    expect(service.logs).toContainEqual(
      expect.objectContaining({ bound: 'download_asker', msg: 'previews wait: a limit is reached' }),
    );
    const checks = await service.context.services.health.look();
    expect(checks.find(({ id }) => id === 'limits')).toMatchObject({ state: 'ok' });
  });

  it.each(['/shared', '/part#its-name'])(
    'holds up nobody either who wants one of hers, with its oEmbed answer and its image (%s)',
    async (path) => {
      expect(site.hits.filter((hit) => path.startsWith(hit.path))).toHaveLength(0);
      const startMs = performance.now();
      const answer = await preview(service, bob, site.url(path, 'good.example'));

      expect(answer.body).toMatchObject({ 'og:title': 'Said', 'og:image:width': 64 });
      expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
      expect(site.hits.filter((hit) => path.startsWith(hit.path))).toHaveLength(1);
      expect(site.hits.filter((hit) => hit.path === '/slow')).toHaveLength(PLACES);
    },
  );

  it('leaves others a place at the host of hers', async () => {
    const carol = await createToken(service, '@carol:notary.test');
    const links = [1, 2, 3].map((at) => site.url(`/slow?${at}`, 'popular.example'));
    askForSlow(carol, links);
    const there = () => site.hits.filter(({ host }) => host.startsWith('popular.example'));
    await expect.poll(there).toHaveLength(PLACES_OF_HOST);
    const startMs = performance.now();
    const answer = await preview(service, bob, addWholePage('/popular', 'popular.example'));

    expect(answer.body).toMatchObject({ 'og:title': 'Said', 'og:image:width': 64 });
    expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
    expect(there().filter(({ path }) => path.startsWith('/slow'))).toHaveLength(PLACES_OF_HOST);
  });
});
