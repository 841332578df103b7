import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import {
  respondJson,
  respondRedirect,
  startKeyOrigin,
  type KeyOrigin,
} from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { createTestClient, fetchOutcome } from './federation-setup.js';

/** 127.0.0.1 is opened by the whitelist; the canary listens at 127.0.0.2, which stays blocked. */
const CANARY = '127.0.0.2';

let ca: TestCa;
let dns: DnsServer;
let canary: KeyOrigin;
let open: KeyOrigin;

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  const certificate = await ca.leaf({ names: ['name.example', CANARY, '127.0.0.1'] });
  dns = await startDnsServer({});
  canary = await startKeyOrigin({ certificate, respond: respondJson('{}'), address: CANARY });
  open = await startKeyOrigin({ certificate, respond: respondJson('{}') });
});
afterEach(async () => {
  await Promise.all([dns.close(), canary.close(), open.close()]);
});

function create(defaultPort = canary.port, whitelist = ['127.0.0.1']) {
  const options = { caPem: ca.caPem, dns: dns.address, whitelist, defaultPort, wellKnownPort: open.port };
  return createTestClient(options);
}

const client = (...options: Parameters<typeof create>) => create(...options).client;

describe('address guard of key fetches: no packet reaches a blocked address', () => {
  it('lets the canary be reached once it is whitelisted', async () => {
    expect((await fetchOutcome(client(1, [CANARY]), canary.serverName)).error).toBeNull();
    expect(canary.hits).toHaveLength(1);
  });

  it('refuses a literal with 403', async () => {
    const { error } = await fetchOutcome(client(), canary.serverName);
    expect(error).toMatchObject({
      status: 403,
      reason: 'address_blocked',
      message: 'IP address blocked by IP blacklist entry',
    });
    expect(canary.connections).toBe(0);
  });

  it('refuses an IPv4-mapped literal', async () => {
    const { error } = await fetchOutcome(client(), `[::ffff:${CANARY}]:${canary.port}`);
    expect(error).toMatchObject({ status: 403, reason: 'address_blocked' });
    expect(canary.connections).toBe(0);
  });

  it('refuses a name with a blocked address, telling the client nothing about it', async () => {
    dns.zones.set('name.example', { A: [CANARY] });
    const { error } = await fetchOutcome(client(), `name.example:${canary.port}`);
    expect(error).toMatchObject({ status: 502, reason: 'address_blocked' });
    expect(error?.message).not.toContain(CANARY);
    expect(canary.connections).toBe(0);
  });

  it('refuses a name as a whole when one of its addresses is blocked', async () => {
    dns.zones.set('name.example', { A: ['127.0.0.1', CANARY] });
    const { error } = await fetchOutcome(client(), `name.example:${open.port}`);
    expect(error?.reason).toBe('address_blocked');
    expect([open.connections, canary.connections]).toEqual([0, 0]);
  });

  it('refuses a well-known host at a blocked address and the default port behind it', async () => {
    dns.zones.set('name.example', { A: [CANARY] });
    const { error } = await fetchOutcome(client(), 'name.example');
    expect(error?.reason).toBe('address_blocked');
    expect(canary.connections).toBe(0);
  });

  it('refuses a well-known redirect to a blocked literal', async () => {
    dns.zones.set('name.example', { A: ['127.0.0.1'] });
    open.respond = respondRedirect(`https://${canary.serverName}/`);
    await fetchOutcome(client(1), 'name.example');
    expect(open.hits).toHaveLength(1);
    expect(canary.connections).toBe(0);
  });

  it.each(['2130706434', '0x7f000002', '0177.0.0.2', '127.2', '[::ffff:7f00:2]', '[64:ff9b::7f00:2]'])(
    'refuses a well-known redirect to %s',
    async (host) => {
      dns.zones.set('name.example', { A: ['127.0.0.1'] });
      open.respond = respondRedirect(`https://${host}:${canary.port}/`);
      await fetchOutcome(client(1), 'name.example');
      expect(open.hits).toHaveLength(1);
      expect(canary.connections).toBe(0);
    },
  );

  it('refuses a delegated address', async () => {
    dns.zones.set('name.example', { A: ['127.0.0.1'] });
    open.respond = respondJson(JSON.stringify({ 'svc.server': canary.serverName }));
    const { error } = await fetchOutcome(client(), 'name.example');
    expect(error).toMatchObject({ status: 403, reason: 'address_blocked' });
    expect(canary.connections).toBe(0);
  });

  it.each(['inside.example', CANARY])('refuses the SRV target %s and goes on to the next', async (target) => {
    dns.zones.set('name.example', { A: ['127.0.0.1'] });
    dns.zones.set('inside.example', { A: [CANARY] });
    dns.zones.set('outside.example', { A: ['127.0.0.1'] });
    dns.zones.set('_svc-fed._tcp.name.example', { SRV: [{ target, port: canary.port }] });
    expect((await fetchOutcome(client(), 'name.example')).error?.reason).toBe('address_blocked');
    dns.zones.set('_svc-fed._tcp.name.example', {
      SRV: [
        { target, port: canary.port, priority: 1 },
        { target: 'outside.example', port: open.port, priority: 2 },
      ],
    });
    expect((await fetchOutcome(client(), 'name.example')).error).toBeNull();
    expect(canary.connections).toBe(0);
  });

  it('connects to the address it judged although the name resolves differently the next time', async () => {
    dns.zones.set('name.example', { A: ['127.0.0.1'], ttlSeconds: 0 });
    const { client: rebinding, clock } = create();
    expect((await fetchOutcome(rebinding, `name.example:${open.port}`)).error).toBeNull();
    dns.zones.set('name.example', { A: [CANARY], ttlSeconds: 0 });
    expect((await fetchOutcome(rebinding, `name.example:${open.port}`)).error).toBeNull();
    expect(dns.queries.filter((query) => query.startsWith('A '))).toHaveLength(1);
    clock.advance(31_000);
    expect((await fetchOutcome(rebinding, `name.example:${open.port}`)).error?.reason).toBe(
      'address_blocked',
    );
    expect(canary.connections).toBe(0);
  });
});
