import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { postKeys } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setUp } from '../../support/set-up.js';

const PADDING_BYTES = 240_000;
/** Just below what takes turns. */
const REMOTES = 4;
const QUESTIONS = 40;
const MB = 1024 * 1024;
const YEAR_MS = 365 * 86_400_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const authority = setUp(createTestAuthority);
let service: TestService;
let remotes: RemoteServer[];
let silent: Server;
const accepted = new Set<Socket>();

beforeAll(async () => {
  silent = createServer((socket) => accepted.add(socket.on('error', () => undefined)));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  // As when others have the cache filled.
  service = await startTestService({
    caPaths: [authority.caPath],
    settings: { keys: { cache_size: '100K' } },
  });
  const record = {
    validUntilTs: service.clock.now() + YEAR_MS,
    extra: { padding: 'x'.repeat(PADDING_BYTES) },
  };
  remotes = await Promise.all(Array.from({ length: REMOTES }, () => startRemoteServer(authority, record)));
  await postKeys(service.url, question(remotes.map(({ serverName }) => serverName)));
});
afterAll(async () => {
  for (const socket of accepted) socket.destroy();
  await service.remove();
  silent.close();
  await Promise.all(remotes.map(({ origin }) => origin.close()));
});

const question = (serverNames: readonly string[]) => ({
  server_keys: Object.fromEntries(serverNames.map((name) => [name, { 'ed25519:k1': {} }])),
});

async function missed(): Promise<number> {
  const { values } = await service.context.parts.metrics.keyLookups.get();
  return values.find(({ labels }) => labels.result === 'missed')?.value ?? 0;
}

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

it('questions that wait for a silent server hold no records meanwhile', async () => {
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const asked = question([...remotes.map(({ serverName }) => serverName), `127.0.0.1:${address.port}`]);
  const missedBefore = await missed();
  const before = heldBytes();
  const answers = Array.from({ length: QUESTIONS }, () => postKeys(service.url, asked));
  await expect.poll(missed, { interval: 5 }).toBe(missedBefore + QUESTIONS);

  // What the last look-ups read goes a moment later; the silent server is waited for longer than this.
  await expect.poll(() => heldBytes() - before, { timeout: 5000 }).toBeLessThan(8 * MB);
  expect(accepted.size).toBeGreaterThan(0);
  for (const socket of accepted) socket.destroy();
  for (const { records } of await Promise.all(answers)) expect(records).toHaveLength(REMOTES);
});
