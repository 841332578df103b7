import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Client } from '../../../../src/core/base/fair-queue.js';
import { SECOND_MS } from '../../../../src/core/base/clock.js';
import { DnsResolver, type DnsResolverOptions } from '../../../../src/core/net/dns/dns-resolver.js';
import { watchSystemFiles } from '../../../../src/core/net/dns/system-files.js';
import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createSystemNames, nameserverLine, type SystemNames } from '../../../support/system-names.js';

let dns: DnsServer;
let names: SystemNames;
let clock: ManualClock;
let resolver: DnsResolver;

function create(options: Partial<DnsResolverOptions> = {}): void {
  resolver = new DnsResolver({
    hosts: new Map(),
    clock,
    logger: null,
    servers: [],
    files: watchSystemFiles(names.files, clock, null),
    limitMs: 2000,
    maxLookups: 64,
    ...options,
  });
}

const addressesOf = async (name: string, client?: Client): Promise<string[]> =>
  (await resolver.lookup(name, client)).addresses.map(({ address }) => address);
const client = (key: string): Client => key;
const asked = (type: string): string[] =>
  dns.queries.filter((query) => query.startsWith(`${type} `)).map((query) => query.slice(type.length + 1));

beforeEach(async () => {
  dns = await startDnsServer();
  names = await createSystemNames([dns.address]);
  await names.writeResolvConf(nameserverLine(dns.address));
  clock = new ManualClock();
  create();
});
afterEach(async () => {
  resolver.close();
  await names.remove();
  await dns.close();
});

describe('names of the system', () => {
  it('come from its hosts file, both families, and a change is noticed', async () => {
    await names.writeHosts(
      '192.0.2.1 Printer.lan printer # by the door\n2001:db8::1 printer.lan.\nfe80::1%lo bad\n',
    );
    expect(await addressesOf('printer.lan')).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(await addressesOf('PRINTER')).toEqual(['192.0.2.1']);
    await names.writeHosts('192.0.2.99 printer.lan\n');
    clock.advance(2 * SECOND_MS);
    expect(await addressesOf('printer.lan')).toEqual(['192.0.2.99']);
    expect(dns.queries).toEqual([]);
  });

  it.each(['localhost', 'a.localhost', 'LOCALHOST.'])('%s is this machine without any file', async (name) => {
    await names.remove();
    expect(await addressesOf(name)).toEqual(['127.0.0.1', '::1']);
    expect(dns.queries).toEqual([]);
  });

  it('are asked for at the servers that resolv.conf names now', async () => {
    dns.zones.set('a.example', { A: ['192.0.2.1'] });
    expect(await addressesOf('a.example')).toEqual(['192.0.2.1']);
    const other = await startDnsServer({ 'a.example': { A: ['192.0.2.2'] } });
    await names.writeResolvConf(nameserverLine(other.address));
    resolver.forget('a.example');
    clock.advance(2 * SECOND_MS);
    expect(await addressesOf('a.example')).toEqual(['192.0.2.2']);
    await other.close();
  });
});

describe('several servers', () => {
  it('one that is silent is passed over', async () => {
    // The silent one has used half of 2 s when the next is asked.
    create({ limitMs: 30 * SECOND_MS });
    dns.zones.set('a.example', { A: ['192.0.2.1'] });
    const silent = await startDnsServer({ 'a.example': { failure: 'silence' } });
    await names.writeResolvConf(nameserverLine(silent.address) + nameserverLine(dns.address));
    expect(await addressesOf('a.example')).toEqual(['192.0.2.1']);
    expect(silent.queries).toEqual(expect.arrayContaining(['A a.example', 'AAAA a.example']));
    // For some minutes the others are asked first.
    silent.queries.length = 0;
    dns.zones.set('b.example', { A: ['192.0.2.2'] });
    expect(await addressesOf('b.example')).toEqual(['192.0.2.2']);
    expect(silent.queries.filter((query) => query.endsWith(' b.example'))).toEqual([]);
    await silent.close();
  });
});

describe('several SRV names', () => {
  const names = ['_svc-fed._tcp.a.example', '_svc._tcp.a.example'];
  const records = [{ target: 't.example', port: 8449, priority: 1, weight: 2 }];

  it('another server is asked after a failure, though the second answer is still to come', async () => {
    const failing = await startDnsServer({
      '_svc-fed._tcp.a.example': { failure: 'SERVFAIL' },
      '_svc._tcp.a.example': { failure: 'silence' },
    });
    dns.zones.set('_svc-fed._tcp.a.example', { SRV: records });
    create({ limitMs: 30 * SECOND_MS, servers: [failing.address, dns.address] });
    expect(await resolver.srv(names)).toMatchObject({ name: names[0], records });
    await failing.close();
  });

  it('a failure names the one that failed, silence both', async () => {
    dns.zones.set('_svc._tcp.a.example', { failure: 'SERVFAIL' });
    await expect(resolver.srv(names)).rejects.toMatchObject({ detail: '_svc._tcp.a.example: ESERVFAIL' });
    dns.zones.set('_svc._tcp.a.example', { failure: 'silence' });
    await expect(resolver.srv(names, undefined, { limitMs: 100 })).rejects.toMatchObject({
      detail: '_svc-fed._tcp.a.example and _svc._tcp.a.example: no answer in time',
    });
  });
});

describe('shares and memory of look-ups', () => {
  const silence = (...of: string[]): void =>
    of.forEach((name) => dns.zones.set(name, { failure: 'silence' }));

  it('one name is asked for once at a time, whoever asks', async () => {
    dns.zones.set('a.example', { A: ['192.0.2.1'] });
    await Promise.all([addressesOf('a.example', client('x')), addressesOf('A.example', client('y'))]);
    expect(asked('A')).toEqual(['a.example']);
  });

  it('a name that timed out is not asked for again for some seconds', async () => {
    create({ limitMs: 200 });
    silence('a.example');
    await expect(addressesOf('a.example')).rejects.toMatchObject({ reason: 'dns_timeout' });
    dns.zones.set('a.example', { A: ['192.0.2.1'] });
    dns.queries.length = 0;
    await expect(addressesOf('a.example')).rejects.toMatchObject({ reason: 'dns_timeout' });
    expect(dns.queries).toEqual([]);
    clock.advance(10 * SECOND_MS);
    expect(await addressesOf('a.example')).toEqual(['192.0.2.1']);
  });

  it('names below one registrable domain get a quarter of the look-ups there may be; others go past', async () => {
    const bounds: string[] = [];
    create({ maxLookups: 8, onBound: (bound) => bounds.push(bound) });
    const silent = ['a.dead.example', 'b.dead.example', '_svc._tcp.c.dead.example'];
    silence(...silent);
    dns.zones.set('good.example', { A: ['192.0.2.1'] });
    const flood = [
      addressesOf('a.dead.example', client('x')),
      addressesOf('b.dead.example', client('x')),
      resolver.srv(['_svc._tcp.c.dead.example'], client('y')),
    ].map((look) => look.catch((error: unknown) => error));
    expect(await addressesOf('good.example', client('x'))).toEqual(['192.0.2.1']);
    expect(resolver.load).toEqual({ running: 2, waiting: 1 });
    expect(bounds).toEqual(['domain']);
    expect(resolver.bounds.lately).toMatchObject([{ bound: 'domain', times: 1 }]);
    await Promise.all(flood);
  });

  it('one client gets no more than its share, nobody more than is free; another client goes past', async () => {
    const bounds = new Set<string>();
    create({ maxLookups: 8, onBound: (bound) => bounds.add(bound) });
    const silent = Array.from({ length: 7 }, (_, at) => `dead-${at}.example`);
    silence(...silent);
    dns.zones.set('good.example', { A: ['192.0.2.1'] });
    const flood = silent.map((name) => addressesOf(name, client('x')).catch((error: unknown) => error));
    expect(await addressesOf('good.example', client('y'))).toEqual(['192.0.2.1']);
    expect(resolver.load).toEqual({ running: 4, waiting: 3 });
    expect([...bounds]).toEqual(['asker']);
    await Promise.all(flood);
  });

  it('more than as many waiting as may run are refused at once, which is not a time-out', async () => {
    create({ maxLookups: 2, limitMs: 300 });
    const silent = Array.from({ length: 5 }, (_, at) => `dead-${at}.example`);
    silence(...silent);
    const reasons = await Promise.all(
      silent.map((name) =>
        addressesOf(name, client(name)).catch((error: { reason: string }) => error.reason),
      ),
    );
    expect(reasons.at(-1)).toBe('dns_busy');
    expect(reasons[0]).toBe('dns_timeout');
    expect(resolver.load).toEqual({ running: 0, waiting: 0 });
  });
});
