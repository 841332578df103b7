import net from 'node:net';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeysAs } from '../../support/clients/notary-client.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setWorld } from '../../support/world.js';
import { PATIENCE_MS } from '../../support/patience.js';

const SILENT_ADDRESS = '127.0.0.9';
const QUESTIONS = 20;
const NAMES = 300;
const LIMIT_MS = 2000;
/** Default of federation.max_connections_per_address. */
const MAX_CONNECTIONS = 32;

const lookedUp = (at: number): string => `n${at}.dead.example`;
/** Of as many domains, and without a look-up. */
const known = (at: number): string => `dead-${at}.example`;

const world = setWorld();
let service: TestService;
const floods: Promise<unknown>[] = [];
const remotes: RemoteServer[] = [];
let silent: net.Server;
let silentPort: number;
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  silent = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  silentPort = await listenOnFreshPort(silent, SILENT_ADDRESS);
  const all = Array.from({ length: QUESTIONS * NAMES }, (_, at) => at);
  for (const at of all) world.dns.zones.set(lookedUp(at), { A: [SILENT_ADDRESS] });
  service = await startTestService({
    dnsFiles: world.names.files,
    caPaths: [world.authority.caPath],
    settings: {
      dns: { hosts: Object.fromEntries(all.map((at) => [known(at), [SILENT_ADDRESS]])) },
      listeners: [
        { port: 0, bind_addresses: ['127.0.0.1'], x_forwarded: true, resources: ['keys', 'metrics'] },
      ],
    },
  });
});
afterAll(async () => {
  await Promise.all(floods);
  for (const socket of sockets) socket.destroy();
  await service.remove();
  await Promise.all(remotes.map(({ origin }) => origin.close()));
  silent.close();
});

const questionOf = (serverNames: readonly string[]) => ({
  server_keys: Object.fromEntries(serverNames.map((name) => [name, { 'ed25519:k1': {} }])),
});

/** Asks for a server that was never asked for; returns how long that took. */
async function askForNew(client: string): Promise<number> {
  const remote = await startRemoteServer(world.authority, { validUntilTs: service.clock.now() + DAY_MS });
  remotes.push(remote);
  const startMs = performance.now();
  const answer = await postKeysAs(client, service.url, questionOf([remote.serverName]));
  expect(answer.records).toHaveLength(1);
  return performance.now() - startMs;
}

/** Asks for 6,000 names in twenty questions. */
function floodFrom(client: string, nameOf: (at: number) => string): void {
  for (let question = 0; question < QUESTIONS; question += 1) {
    const asked = Array.from({ length: NAMES }, (_, at) => `${nameOf(question * NAMES + at)}:${silentPort}`);
    floods.push(postKeysAs(client, service.url, questionOf(asked)));
  }
}

describe('6,000 names at an address that takes connections and says nothing, on default settings', () => {
  beforeAll(async () => {
    floodFrom('192.0.2.1', lookedUp);
    // What finds no room to wait for its look-up is refused at once; the rest waits for the address.
    const { resolver } = service.context.parts;
    const isSettled = (): boolean => sockets.size > 0 && resolver.load.running + resolver.load.waiting === 0;
    await vi.waitUntil(isSettled, { timeout: PATIENCE_MS, interval: 20 });
  });

  it('hold up no other asker', async () => {
    expect(sockets.size).toBeLessThanOrEqual(MAX_CONNECTIONS);
    expect(await askForNew('192.0.2.2')).toBeLessThan(LIMIT_MS);
  });

  it('hold up no other question of the same client, such as a homeserver that asks for others', async () => {
    expect(await askForNew('192.0.2.1')).toBeLessThan(LIMIT_MS);
  });
});
