import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { createTestClient, fetchOutcome } from './federation-setup.js';

const BODY = '{"server_name":"x"}';

describe('discovery of addresses and of names with a port', () => {
  let ca: TestCa;
  let dns: DnsServer;
  const origins: KeyOrigin[] = [];

  async function origin(names: string[], address?: string): Promise<KeyOrigin> {
    const started = await startKeyOrigin({
      certificate: await ca.leaf({ names }),
      respond: respondJson(BODY),
      address,
    });
    origins.push(started);
    return started;
  }

  beforeAll(async () => {
    ca = await createTestCa();
  });
  beforeEach(async () => {
    dns = await startDnsServer({ 'keys.example': { A: ['127.0.0.1'] } });
  });
  afterEach(async () => {
    await dns.close();
    await Promise.all(origins.splice(0).map((started) => started.close()));
  });
  it('connects to an IPv4 address with its port in Host and without SNI', async () => {
    const server = await origin(['127.0.0.1']);
    const { client } = createTestClient({ caPem: ca.caPem, dns: dns.address });
    const { result, steps } = await fetchOutcome(client, server.serverName);
    expect(result?.toString()).toBe(BODY);
    expect(server.hits).toMatchObject([{ path: '/_svc/key/v2/server', host: server.serverName, sni: null }]);
    expect(dns.queries).toEqual([]);
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'name ok',
      'well-known skipped',
      'srv skipped',
      'address ok',
      'connect ok',
      'tls ok',
      'response ok',
    ]);
  });

  it('keeps the brackets of an IPv6 address in Host', async () => {
    const server = await origin(['::1'], '::1');
    const { client } = createTestClient({ caPem: ca.caPem });
    expect((await fetchOutcome(client, server.serverName)).error).toBeNull();
    expect(server.hits).toMatchObject([{ host: `[::1]:${server.port}`, sni: null }]);
  });

  it('refuses a certificate with only a DNS name for an address', async () => {
    const server = await origin(['localhost', 'keys.example']);
    const { client } = createTestClient({ caPem: ca.caPem });
    expect((await fetchOutcome(client, server.serverName)).error?.reason).toBe('tls_wrong_name');
    expect(server.hits).toEqual([]);
  });

  it.each([
    ['127.0.0.1', '127.0.0.2'],
    ['::1', '::2'],
    ['::1', '127.0.0.1'],
  ])('refuses for %s a certificate for %s', async (address, other) => {
    const server = await origin([other], address);
    const { client } = createTestClient({ caPem: ca.caPem });
    expect((await fetchOutcome(client, server.serverName)).error?.reason).toBe('tls_wrong_name');
    expect(server.hits).toEqual([]);
  });

  it('asks neither well-known nor SRV for a name with a port', async () => {
    const server = await origin(['keys.example']);
    const { client } = createTestClient({ caPem: ca.caPem, dns: dns.address, wellKnownPort: server.port });
    const { error } = await fetchOutcome(client, `keys.example:${server.port}`);
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([
      { path: '/_svc/key/v2/server', host: `keys.example:${server.port}`, sni: 'keys.example' },
    ]);
    expect(dns.queries.toSorted()).toEqual(['A keys.example', 'AAAA keys.example']);
  });

  it('follows a CNAME and keeps the name asked for in Host, SNI and certificate check', async () => {
    dns.zones.set('alias.example', { CNAME: 'keys.example' });
    const server = await origin(['alias.example']);
    const { client } = createTestClient({ caPem: ca.caPem, dns: dns.address });
    expect((await fetchOutcome(client, `alias.example:${server.port}`)).error).toBeNull();
    expect(server.hits).toMatchObject([{ host: `alias.example:${server.port}`, sni: 'alias.example' }]);
  });

  it('sends nothing that tells about the client', async () => {
    const server = await origin(['127.0.0.1']);
    const { client } = createTestClient({ caPem: ca.caPem });
    await fetchOutcome(client, server.serverName);
    expect(server.hits[0]?.headers).toEqual({
      host: server.serverName,
      'user-agent': 'Vidimus',
      'accept-encoding': 'identity',
      connection: 'close',
    });
  });

  it.each([
    '',
    'bad name',
    'a/b',
    'ex\u00e4mple.org',
    'host:http',
    'host:99999',
    'x@127.0.0.1',
    '[::1',
    'a\r\nb',
  ])('refuses %j before any packet', async (name) => {
    const { client } = createTestClient({ caPem: ca.caPem, dns: dns.address });
    const { error, steps } = await fetchOutcome(client, name);
    expect(error?.status).toBe(400);
    expect(steps).toHaveLength(1);
    expect(dns.queries).toEqual([]);
  });
});
