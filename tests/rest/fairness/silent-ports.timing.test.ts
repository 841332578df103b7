import net from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeysAs } from '../../support/clients/notary-client.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

const SILENT_ADDRESS = '127.0.0.9';
const QUESTIONS = 20;
const NAMES = 300;
const LIMIT_MS = 2000;

let dns: DnsServer;
let names: SystemNames;
let authority: TestAuthority;
let remote: RemoteServer;
let service: TestService;
let silent: net.Server;
let silentPort: number;
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  silent = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  silentPort = await listenOnFreshPort(silent, SILENT_ADDRESS);
  dns = await startDnsServer();
  for (let at = 0; at < QUESTIONS * NAMES; at += 1)
    dns.zones.set(`n${at}.dead.example`, { A: [SILENT_ADDRESS] });
  names = await createSystemNames([dns.address]);
  authority = await createTestAuthority();
  service = await startTestService({
    dnsFiles: names.files,
    caPaths: [authority.caPath],
    settings: {
      listeners: [
        { port: 0, bind_addresses: ['127.0.0.1'], x_forwarded: true, resources: ['keys', 'metrics'] },
      ],
    },
  });
  remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + DAY_MS });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.remove();
  await remote.origin.close();
  silent.close();
  await authority.remove();
  await names.remove();
  await dns.close();
});

const questionOf = (serverNames: readonly string[]) => ({
  server_keys: Object.fromEntries(serverNames.map((name) => [name, { 'ed25519:k1': {} }])),
});

describe('6,000 names at an address that takes connections and says nothing, on default settings', () => {
  it('hold up no other asker', { timeout: 120_000 }, async () => {
    const flood = Array.from({ length: QUESTIONS }, (_, question) => {
      const asked = Array.from(
        { length: NAMES },
        (_name, at) => `n${question * NAMES + at}.dead.example:${silentPort}`,
      );
      return postKeysAs('192.0.2.1', service.url, questionOf(asked));
    });
    await expect.poll(() => sockets.size, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
    // What finds no room to wait for its look-up is refused at once; the rest waits for the address.
    const lookups = () => service.context.parts.lookups.load;
    await expect.poll(lookups, { timeout: 60_000, interval: 20 }).toEqual({ running: 0, waiting: 0 });
    expect(dns.queries.length).toBeGreaterThan(NAMES);

    const startMs = performance.now();
    const answer = await postKeysAs('192.0.2.2', service.url, questionOf([remote.serverName]));

    expect(answer.records).toHaveLength(1);
    expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
    await Promise.all(flood);
  });
});
