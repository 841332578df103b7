import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createToken, preview } from '../../../support/clients/preview-client.js';
import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { createSystemNames, type SystemNames } from '../../../support/system-names.js';

const SLOW_LINKS = 300;
const LIMIT_MS = 2000;
/** Default of previews.max_concurrent. */
const PLACES = 32;

let dns: DnsServer;
let names: SystemNames;
let site: RemoteSite;
let service: TestService;

beforeAll(async () => {
  dns = await startDnsServer();
  for (let at = 0; at < SLOW_LINKS; at += 1) dns.zones.set(`slow-${at}.example`, { A: ['127.0.0.1'] });
  dns.zones.set('good.example', { A: ['127.0.0.1'] });
  names = await createSystemNames([dns.address]);
  site = await startRemoteSite();
  site.pages.set('/slow', () => {});
  site.pages.set('/', page('<title>There</title>'));
  site.pages.set('/first', page('<title>First</title>'));
  service = await startTestService({ dnsFiles: names.files });
});
afterAll(async () => {
  await service.remove();
  await site.close();
  await names.remove();
  await dns.close();
});

describe('a user with 300 links that are slow, on default settings', () => {
  it('has all places to himself and holds up nobody else', { timeout: 60_000 }, async () => {
    const alice = await createToken(service);
    const bob = await createToken(service, '@bob:notary.test');
    // Starts the thread that reads pages.
    await preview(service, bob, site.url('/first', 'good.example'));
    const slow = Array.from({ length: SLOW_LINKS }, (_, at) =>
      preview(service, alice, site.url('/slow', `slow-${at}.example`)).catch(() => null),
    );
    await expect.poll(() => site.hits.length, { timeout: 10_000 }).toBe(PLACES + 1);
    const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
    const waiting = `vidimus_preview_work{work="download",state="waiting"} ${SLOW_LINKS - PLACES}`;
    await expect.poll(metrics, { timeout: 10_000 }).toContain(waiting);

    const startMs = performance.now();
    const answer = await preview(service, bob, site.url('/', 'good.example'));

    expect(answer.body).toMatchObject({ 'og:title': 'There' });
    expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
    expect(await metrics()).toMatch(/vidimus_preview_bound_total\{work="download",bound="asker"\} 268/);
    expect(service.logs).toContainEqual(
      expect.objectContaining({ bound: 'download_asker', msg: 'previews wait: a bound is reached' }),
    );
    const { checks } = await service.context.services.overview.overview.health();
    expect(checks.find(({ key }) => key === 'preview_places')).toMatchObject({ state: 'ok' });
    await service.stop();
    await Promise.all(slow);
  });
});
