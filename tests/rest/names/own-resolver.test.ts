import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../../src/core/base/clock.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { postKey } from '../../support/clients/notary-client.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

let dns: DnsServer;
let names: SystemNames;
let site: RemoteSite;
let service: TestService;

beforeAll(async () => {
  dns = await startDnsServer();
  names = await createSystemNames([dns.address]);
  site = await startRemoteSite();
  site.pages.set('/', page('<title>There</title>'));
  service = await startTestService({
    dnsFiles: names.files,
    settings: { previews: { dns_timeout: '300ms' } },
  });
});
afterAll(async () => {
  await service.remove();
  await site.close();
  await names.remove();
  await dns.close();
});

describe('a resolver of ours that does not answer', { timeout: 30_000 }, () => {
  it('fails a preview for a minute, not for an hour', async () => {
    const token = await createToken(service);
    dns.zones.set('slow.example', { failure: 'silence' });
    const ask = () => preview(service, token, site.url('/', 'slow.example'));
    expect((await ask()).status).toBe(502);
    dns.zones.set('slow.example', { A: ['127.0.0.1'] });
    expect((await ask()).status).toBe(502);
    await expect.poll(() => service.context.parts.lookups.load.running, { timeout: 10_000 }).toBe(0);
    service.clock.advance(MINUTE_MS);
    expect((await ask()).body).toMatchObject({ 'og:title': 'There' });
  });

  it('leaves a preview without its image for less than a minute', async () => {
    const token = await createToken(service);
    const image = site.url('/image.png', 'image.example');
    const tags = [`og:title" content="There`, `og:image" content="${image}`];
    site.pages.set('/with-image', page(tags.map((tag) => `<meta property="${tag}">`).join('')));
    const pixels = sharp({ create: { width: 200, height: 200, channels: 3, background: '#369' } });
    site.pages.set('/image.png', page(await pixels.png().toBuffer(), { type: 'image/png' }));
    dns.zones.set('image.example', { failure: 'silence' });
    const ask = async () => (await preview(service, token, site.url('/with-image'))).body;
    expect(await ask()).toEqual(expect.not.objectContaining({ 'og:image': expect.anything() as string }));
    dns.zones.set('image.example', { A: ['127.0.0.1'] });
    await expect.poll(() => service.context.parts.lookups.load.running, { timeout: 10_000 }).toBe(0);
    service.clock.advance(MINUTE_MS);
    expect(await ask()).toHaveProperty(['og:image'], expect.stringContaining('://'));
  });

  it('sends no server into back-off, and the failure is told', async () => {
    dns.zones.set('dead.example', { failure: 'silence' });
    for (let attempt = 0; attempt < 5; attempt += 1) await postKey(service.url, 'dead.example');
    const health = await service.context.services.keys.fetchStore.findHealth(['dead.example']);
    expect(health.get('dead.example')).toMatchObject({
      failCount: 0,
      nextTryTs: 0,
      lastErrorReason: 'dns_timeout',
    });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/vidimus_dns_lookups_total\{outcome="dns_timeout"\} [1-9]/);
  });

  it('shows a bound that was reached as metric, log line and health line, on default bounds', async () => {
    const silent = Array.from({ length: 1100 }, (_, at) => `many-${at}.host-${at % 2}.example`);
    for (const name of silent) dns.zones.set(name, { failure: 'silence' });
    const over = new AbortController();
    const flood = [silent.slice(0, 600), silent.slice(600)].map((asked) => {
      const body = { server_keys: Object.fromEntries(asked.map((name) => [name, { 'ed25519:k1': {} }])) };
      const request = { method: 'POST', body: JSON.stringify(body), signal: over.signal };
      return fetch(`${service.url}/_svc/key/v2/query`, request).catch(() => null);
    });
    const metrics = async () => await (await fetch(`${service.url}/metrics`)).text();
    await expect
      .poll(metrics, { timeout: 4000, interval: 50 })
      .toMatch(/vidimus_dns_bound_total\{bound="asker"\} [1-9]/);
    over.abort();
    await Promise.all(flood);
    expect(service.logs).toContainEqual(
      expect.objectContaining({ bound: 'asker', msg: 'look-ups of names wait: a bound is reached' }),
    );
    const { checks } = await service.context.services.overview.overview.health();
    expect(checks.find(({ key }) => key === 'name_lookups')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('dns.max_lookups_per_asker'),
    });
  });
});
