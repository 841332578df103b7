import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { testResolver } from '../../../support/test-resolver.js';
import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestCa, overlongChain, type TestCa } from '../../../support/origins/test-ca.js';
import { CANARY_ADDRESS, createTestDownloader, outcome } from './download-setup.js';

const NAME = {
  status: 502,
  errcode: 'M_UNKNOWN',
  message: 'DNS resolution failure during URL preview generation',
};

let canary: RemoteSite;
let secureCanary: RemoteSite;
let site: RemoteSite;
let dns: DnsServer;
let ca: TestCa;
let clock: ManualClock;
const open: RemoteSite[] = [];

beforeAll(async () => {
  ca = await createTestCa();
  canary = await startRemoteSite({ address: CANARY_ADDRESS });
  canary.pages.set('/', page('secret'));
  secureCanary = await startRemoteSite({
    address: CANARY_ADDRESS,
    certificate: await ca.leaf({ names: [CANARY_ADDRESS] }),
  });
  site = await startRemoteSite();
  dns = await startDnsServer();
});
afterAll(async () => {
  await canary.close();
  await secureCanary.close();
  await site.close();
  await dns.close();
});
afterEach(async () => {
  if (canary.connections.count + secureCanary.connections.count > 0) throw new Error('canary was reached');
  site.pages.clear();
  dns.zones.clear();
  for (const other of open.splice(0)) await other.close();
});

describe('a name', () => {
  const create = (connectTimeoutMs = 2000) => {
    clock = new ManualClock();
    const resolver = testResolver({
      clock,
      servers: [dns.address],
      lookupTimeoutMs: 300,
    });
    return createTestDownloader({ resolver, connectTimeoutMs });
  };

  it.each<[string, object]>([
    ['leads to a blocked address', { A: [CANARY_ADDRESS] }],
    ['leads to a good and a blocked one', { A: ['127.0.0.1', CANARY_ADDRESS] }],
    ['leads to a blocked IPv6 address', { A: ['127.0.0.1'], AAAA: ['::1'] }],
    ['leads to a mapped address', { AAAA: [`::ffff:${CANARY_ADDRESS}`] }],
    ['leads to a NAT64 address', { AAAA: ['64:ff9b::7f00:2'] }],
    ['leads to a 6to4 address', { AAAA: ['2002:7f00:2::'] }],
    ['has no address', {}],
    ['has a failing server', { failure: 'SERVFAIL' }],
    ['has a silent server', { failure: 'silence' }],
  ])('that %s gives the DNS text, in time', async (_what, zone) => {
    dns.zones.set('name.example', zone);
    const started = performance.now();

    const result = await outcome(create(), { url: canary.url('/', 'name.example') });

    expect(result).toMatchObject(NAME);
    expect(JSON.stringify(result)).not.toContain('127.0.0');
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('that changes its mind is connected to as judged, with one look-up', async () => {
    dns.zones.set('name.example', { A: ['127.0.0.1'], ttlSeconds: 0 });
    site.pages.set('/a', (_request, response) => {
      dns.zones.set('name.example', { A: [CANARY_ADDRESS], ttlSeconds: 0 });
      response.writeHead(302, { location: '/b' }).end();
    });
    site.pages.set('/b', page('b'));
    dns.queries.length = 0;

    const result = await outcome(create(), { url: site.url('/a', 'name.example') });

    expect(result).toMatchObject({ status: 200, redirects: 1 });
    expect(dns.queries.filter((query) => query.startsWith('A '))).toHaveLength(1);
  });
});

describe('TLS', () => {
  const trusted = () => createTestDownloader({ ca: ca.caPem, hosts: { 'good.example': ['127.0.0.1'] } });

  it('with a good certificate works for names and literals', async () => {
    const secure = await startRemoteSite({
      certificate: await ca.leaf({ names: ['good.example', '127.0.0.1'] }),
    });
    open.push(secure);
    secure.pages.set('/', page('secure'));

    expect(await outcome(trusted(), { url: secure.url('/', 'good.example') })).toMatchObject({
      sizeBytes: 6,
    });
    expect(await outcome(trusted(), { url: secure.url('/') })).toMatchObject({ sizeBytes: 6 });
  });

  it.each([
    ['for another name', () => ca.leaf({ names: ['bad.example'] }), 'tls_wrong_name'],
    ['that has expired', () => ca.expired(['good.example']), 'tls_expired'],
    [
      'of an unknown authority',
      async () => (await createTestCa('other')).leaf({ names: ['good.example'] }),
      'tls_unknown_ca',
    ],
    ['in an overlong chain', () => overlongChain(ca), 'tls_too_large'],
  ] as const)(
    'with a certificate %s is refused, and no request is sent',
    async (_what, certificate, reason) => {
      const secure = await startRemoteSite({ certificate: await certificate() });
      open.push(secure);

      expect(await outcome(trusted(), { url: secure.url('/', 'good.example') })).toEqual({
        status: 500,
        errcode: 'M_UNKNOWN',
        message: 'Failed to download content: TLS failure',
        reason,
      });
      expect(secure.hits).toEqual([]);
    },
  );
});
