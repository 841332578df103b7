import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeysAs } from '../../support/clients/notary-client.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

const DELEGATING = 20;
const LIMIT_MS = 2000;

/** Where names delegate to: the first is asked for by its SRV records, the other by its addresses. */
const KINDS = { srv: '', address: ':8448' };

let dns: DnsServer;
let names: SystemNames;
let authority: TestAuthority;
let origin: KeyOrigin;
let service: TestService;

const hostsOf = (kind: string): string[] =>
  Array.from({ length: DELEGATING }, (_, at) => `shop-${at}.${kind}.example`);
const goodOf = (kind: string): string => `good.${kind}-good.example`;

beforeAll(async () => {
  dns = await startDnsServer();
  const hosts = Object.keys(KINDS).flatMap((kind) => [...hostsOf(kind), goodOf(kind)]);
  for (const host of hosts) {
    dns.zones.set(host, { A: ['127.0.0.1'] });
    for (const dead of [`dead.${host}`, `_svc-fed._tcp.dead.${host}`])
      dns.zones.set(dead, { failure: 'silence' });
  }
  names = await createSystemNames([dns.address]);
  authority = await createTestAuthority();
  const certificate = await authority.leaf({ names: [...hosts, '127.0.0.1'] });
  origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  service = await startTestService({
    dnsFiles: names.files,
    caPaths: [authority.caPath],
    settings: {
      federation: { well_known_port: origin.port },
      listeners: [{ port: 0, bind_addresses: ['127.0.0.1'], x_forwarded: true, resources: ['keys'] }],
    },
  });
});
afterAll(async () => {
  await service.remove();
  await origin.close();
  await authority.remove();
  await names.remove();
  await dns.close();
});

const questionOf = (serverNames: readonly string[]) => ({
  server_keys: Object.fromEntries(serverNames.map((name) => [name, { 'ed25519:k1': {} }])),
});

describe.each(Object.entries(KINDS))(
  '20 names that delegate to names whose name servers are silent (%s), on default settings',
  (kind, port) => {
    it('hold up no other server behind their address', async () => {
      const good = goodOf(kind);
      const record = makeKeyRecord({
        serverName: good,
        keys: [makeTestKey('k1')],
        validUntilTs: service.clock.now() + DAY_MS,
      });
      origin.respond = (request, response) => {
        const host = request.headers.host ?? '';
        if (request.url?.startsWith('/.well-known/') !== true) return respondJson(record)(request, response);
        const delegated = host === good ? `127.0.0.1:${origin.port}` : `dead.${host}${port}`;
        return respondJson(JSON.stringify({ 'svc.server': delegated }))(request, response);
      };
      const askedBefore = dns.queries.length;
      const flood = postKeysAs('192.0.2.1', service.url, questionOf(hostsOf(kind)));
      const isWaiting = () =>
        dns.queries.slice(askedBefore).filter((query) => query.includes('dead.')).length;
      await expect.poll(isWaiting, { interval: 5 }).toBeGreaterThanOrEqual(8);

      const startMs = performance.now();
      const answer = await postKeysAs('192.0.2.2', service.url, questionOf([good]));

      expect(answer.records).toHaveLength(1);
      expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
      expect((await flood).records).toEqual([]);
    });
  },
);
