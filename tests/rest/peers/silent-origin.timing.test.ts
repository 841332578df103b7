import net from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { setNotary } from '../../support/world.js';

let remotes: RemoteServer[];
const { authority, service } = setNotary();
const silent: net.Server[] = [];
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  const record = { validUntilTs: service.clock.now() + DAY_MS };
  remotes = [await startRemoteServer(authority, record), await startRemoteServer(authority, record)];
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(remotes.map(({ origin }) => origin.close()));
  for (const server of silent) server.close();
});

/** A server that takes connections and never answers. */
async function startSilent(): Promise<string> {
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  silent.push(server);
  return `127.0.0.9:${await listenOnFreshPort(server, '127.0.0.9')}`;
}

async function ask(names: readonly string[]): Promise<{ count: number; ms: number }> {
  const startedMs = performance.now();
  const server_keys = Object.fromEntries(names.map((name) => [name, { 'ed25519:k1': {} }]));
  const { records } = await postKeys(service.url, { server_keys });
  return { count: records.length, ms: performance.now() - startedMs };
}

describe('a server that never answers', () => {
  it('holds up a batch 2 s after the last record, 4 s when the others were known, a single question as before', async () => {
    const [fetched, known] = remotes.map(({ serverName }) => serverName) as [string, string];
    await ask([known]);

    const [fresh, kept, alone] = await Promise.all([
      ask([fetched, await startSilent()]),
      ask([known, await startSilent()]),
      ask([await startSilent()]),
    ]);

    expect([fresh.count, kept.count, alone.count]).toEqual([1, 1, 0]);
    expect(fresh.ms).toBeGreaterThan(1900);
    expect(fresh.ms).toBeLessThan(3500);
    expect(kept.ms).toBeGreaterThan(3900);
    expect(kept.ms).toBeLessThan(5500);
    expect(alone.ms).toBeGreaterThan(5500);
  });

  it('holds up no known record once it has been silent for a second, or failed lately', async () => {
    const [, known] = remotes.map(({ serverName }) => serverName) as [string, string];
    const batch = [known, await startSilent()];
    await ask(batch);
    const whileSilent = await ask(batch);
    await service.context.services.keys.refresher.settle();
    const afterFailure = await ask(batch);

    expect([whileSilent.count, afterFailure.count]).toEqual([1, 1]);
    expect(Math.max(whileSilent.ms, afterFailure.ms)).toBeLessThan(1500);
  });
});
