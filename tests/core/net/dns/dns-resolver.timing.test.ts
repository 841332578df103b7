import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { testResolver } from '../../../support/test-resolver.js';
import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { ManualClock } from '../../../support/manual-clock.js';

let dns: DnsServer;
let clock: ManualClock;
let resolver: ReturnType<typeof testResolver>;

function create(
  options: { servers?: string[]; hosts?: [string, string[]][]; lookupTimeoutMs?: number } = {},
) {
  const { servers = [dns.address], hosts = [], lookupTimeoutMs } = options;
  return testResolver({ clock, servers, hosts: new Map(hosts), lookupTimeoutMs });
}

const addressesOf = async (name: string): Promise<string[]> =>
  (await resolver.lookup(name)).addresses.map(({ address }) => address);

const queriesFor = (type: string): number =>
  dns.queries.filter((query) => query.startsWith(`${type} `)).length;

beforeEach(async () => {
  dns = await startDnsServer({});
  clock = new ManualClock();
  resolver = create();
});
afterEach(async () => {
  resolver.close();
  await dns.close();
});

describe('DnsResolver, addresses', () => {
  it('returns both families by turns, since a machine may have but one of them', async () => {
    dns.zones.set('a.example', { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] });
    expect((await resolver.lookup('a.example')).addresses).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
      { address: '192.0.2.2', family: 4 },
    ]);
  });

  it('follows CNAMEs', async () => {
    dns.zones.set('a.example', { CNAME: 'b.example' });
    dns.zones.set('b.example', { CNAME: 'c.example' });
    dns.zones.set('c.example', { A: ['192.0.2.3'] });
    expect(await addressesOf('a.example')).toEqual(['192.0.2.3']);
  });

  it('returns nothing, without error, for a name that does not exist or has no addresses', async () => {
    dns.zones.set('empty.example', {});
    expect(await addressesOf('missing.example')).toEqual([]);
    expect(await addressesOf('empty.example')).toEqual([]);
  });

  it.each(['', '.', 'a..b', '.a', 'x'.repeat(64), `${'abcdefgh.'.repeat(29)}example`])(
    'asks nobody about %j, which cannot be a name',
    async (name) => {
      expect(await addressesOf(name)).toEqual([]);
      expect(await resolver.srv([name])).toBe('none');
      expect(dns.queries).toEqual([]);
    },
  );

  it.each(['SERVFAIL', 'REFUSED'] as const)('throws dns_failure for %s', async (failure) => {
    dns.zones.set('a.example', { failure });
    await expect(resolver.lookup('a.example')).rejects.toMatchObject({ status: 502, reason: 'dns_failure' });
  });

  it('gives up on a silent server within its limit', async () => {
    dns.zones.set('a.example', { failure: 'silence' });
    resolver = create({ lookupTimeoutMs: 200 });
    const startMs = performance.now();
    await expect(resolver.lookup('a.example')).rejects.toMatchObject({ reason: 'dns_timeout' });
    expect(performance.now() - startMs).toBeLessThan(1500);
  });

  it('waits for a slow answer as long as after quick ones from the same server', async () => {
    for (const part of ['a', 'b', 'c', 'd']) {
      await Promise.all([addressesOf(`${part}1.example`), addressesOf(`${part}2.example`)]);
    }
    dns.zones.set('slow.example', { A: ['192.0.2.9'], delayMs: 1800 });
    expect(await addressesOf('slow.example')).toEqual(['192.0.2.9']);
    expect(dns.queries.filter((query) => query === 'A slow.example')).toHaveLength(2);
  });

  it.each([
    ['30 s at least', 0, 30],
    ['for their TTL', 60, 60],
    ['5 minutes at most', 86_400, 300],
  ])('keeps addresses %s', async (_how, ttlSeconds, keptSeconds) => {
    dns.zones.set('a.example', { A: ['192.0.2.1'], ttlSeconds });
    await addressesOf('a.example');
    clock.advance((keptSeconds - 1) * SECOND_MS);
    await addressesOf('A.Example.');
    expect(queriesFor('A')).toBe(1);
    clock.advance(2 * SECOND_MS);
    await addressesOf('a.example');
    expect(queriesFor('A')).toBe(2);
  });

  it('keeps no failure and no absence', async () => {
    await addressesOf('a.example');
    dns.zones.set('a.example', { failure: 'SERVFAIL' });
    await expect(resolver.lookup('a.example')).rejects.toThrow('DNS resolution failure');
    dns.zones.set('a.example', { A: ['192.0.2.9'] });
    expect(await addressesOf('a.example')).toEqual(['192.0.2.9']);
  });

  it('asks anew after a connection failed', async () => {
    dns.zones.set('a.example', { A: ['192.0.2.1'] });
    await addressesOf('a.example');
    dns.zones.set('a.example', { A: ['192.0.2.2'] });
    resolver.forget('A.example');
    expect(await addressesOf('a.example')).toEqual(['192.0.2.2']);
  });

  it('answers fixed names without asking', async () => {
    resolver = create({ hosts: [['fixed.example', ['192.0.2.7', '2001:db8::7']]] });
    expect((await resolver.lookup('Fixed.Example')).addresses).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]);
    expect(dns.queries).toEqual([]);
  });

  it('uses the system, hosts file included, when no server is named', async () => {
    resolver = create({ servers: [] });
    const { addresses } = await resolver.lookup('localhost');
    expect(addresses.map(({ address }) => address)).toContain('127.0.0.1');
    expect(await addressesOf('does-not-exist.invalid').catch(() => [])).toEqual([]);
  });
});

describe('DnsResolver, SRV', () => {
  const SRV = '_svc-fed._tcp.a.example';
  const RECORDS = [{ target: 't.example', port: 8449, priority: 1, weight: 2 }];

  it('returns the records', async () => {
    dns.zones.set(SRV, { SRV: RECORDS });
    expect(await resolver.srv([SRV])).toMatchObject({ name: SRV, records: RECORDS });
  });

  it('writes the target that means "no service" as a dot', async () => {
    dns.zones.set(SRV, { SRV: [{ target: '.', port: 0 }] });
    expect(await resolver.srv([SRV])).toMatchObject({ records: [{ target: '.' }] });
  });

  it('tells a name without records from a failure', async () => {
    dns.zones.set('_empty._tcp.a.example', {});
    dns.zones.set('_bad._tcp.a.example', { failure: 'SERVFAIL' });
    expect(await resolver.srv([SRV])).toBe('none');
    expect(await resolver.srv(['_empty._tcp.a.example'])).toBe('none');
    await expect(resolver.srv(['_bad._tcp.a.example'])).rejects.toMatchObject({ reason: 'dns_failure' });
  });

  it('asks for several names at once and takes the first that has records', async () => {
    const other = '_svc._tcp.a.example';
    dns.zones.set(other, { SRV: RECORDS });
    expect(await resolver.srv([SRV, other])).toMatchObject({ name: other, records: RECORDS });
    resolver.forget(SRV);
    dns.zones.set(SRV, { SRV: RECORDS });
    dns.zones.set(other, { failure: 'SERVFAIL' });
    expect(await resolver.srv([SRV, other])).toMatchObject({ name: SRV });
    dns.zones.delete(SRV);
    resolver.forget(SRV);
    await expect(resolver.srv([SRV, other])).rejects.toMatchObject({ reason: 'dns_failure' });
  });

  it.each([{ SRV: RECORDS }, {}])('keeps an answer 5 minutes: %j', async (zone) => {
    dns.zones.set(SRV, zone);
    await resolver.srv([SRV]);
    clock.advance(5 * MINUTE_MS - SECOND_MS);
    await resolver.srv([SRV]);
    expect(queriesFor('SRV')).toBe(1);
    clock.advance(2 * SECOND_MS);
    await resolver.srv([SRV]);
    expect(queriesFor('SRV')).toBe(2);
  });
});
