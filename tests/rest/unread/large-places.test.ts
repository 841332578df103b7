import { connect, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { postKeys } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { questionText } from './serving.js';

const PADDING_BYTES = 240_000;
const HELD = 40;
const OTHERS = 20;
/** Nobody gets more places than are free then. */
const HOLDERS = ['2', '2', '3', '3', '4', '5', '6', '8'].map((last) => `127.0.0.${last}`);
const WAITER = '127.0.0.7';
/** Each has as many wait as one client may: together all there may be. */
const CROWD = ['127.0.0.10', '127.0.0.11', '127.0.0.12', '127.0.0.13'];
const WAITING = 64;
const YEAR_MS = 365 * 86_400_000;

let authority: TestAuthority;
let service: TestService;
let remotes: RemoteServer[];
const sockets: Socket[] = [];

beforeEach(async () => {
  authority = await createTestAuthority();
  service = await startTestService({ caPaths: [authority.caPath] });
  const record = {
    validUntilTs: service.clock.now() + YEAR_MS,
    extra: { padding: 'x'.repeat(PADDING_BYTES) },
  };
  const servers = Array.from({ length: HELD + OTHERS }, () => startRemoteServer(authority, record));
  remotes = await Promise.all(servers);
  for (const remote of remotes) await postKeys(service.url, question([remote]));
  // Nothing is cached then.
  service = await service.restart();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.remove();
  await Promise.all(remotes.map(({ origin }) => origin.close()));
  await authority.remove();
});

const question = (asked: readonly RemoteServer[]): string =>
  JSON.stringify({
    server_keys: Object.fromEntries(asked.map(({ serverName }) => [serverName, { 'ed25519:k1': {} }])),
  });

/** Asks and reads nothing yet. */
function ask(asked: readonly RemoteServer[], localAddress: string): Socket {
  const text = questionText(question(asked));
  const port = Number(new URL(service.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(text));
  sockets.push(socket);
  return socket.pause().on('error', () => undefined);
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

async function holdAllPlaces(): Promise<Socket[]> {
  const holders: Socket[] = [];
  for (const address of HOLDERS) {
    holders.push(ask(remotes.slice(0, HELD), address));
    await expect.poll(() => metric('vidimus_large_answers_writing')).toBe(holders.length);
  }
  await expect.poll(() => metric('vidimus_key_signatures_total')).toBe(HELD);
  return holders;
}

/** Resolves with the bytes of the body, once they are all there. */
async function readAll(socket: Socket): Promise<number> {
  let head = '';
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    if (head === '') head = chunk.toString('latin1');
    bytes += chunk.length;
  });
  socket.resume();
  const length = () => Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity);
  const isDone = () => bytes >= length() + head.indexOf('\r\n\r\n') + 4;
  await expect.poll(isDone).toBe(true);
  return length();
}

it('a cold large answer is neither read from the store nor signed before its turn', async () => {
  const holders = await holdAllPlaces();
  const cachedBytes = await metric('vidimus_key_cache_bytes');
  const waiting = () => metric('vidimus_large_answers_waiting');
  const crowd = CROWD.flatMap((address) =>
    Array.from({ length: WAITING / CROWD.length }, () => ask(remotes.slice(0, HELD), address)),
  );
  await expect.poll(waiting).toBe(WAITING);
  const waiter = ask(remotes.slice(HELD), WAITER);
  const gaveWay = () => metric('vidimus_client_bound_total{bound="large_answers"}');
  await expect.poll(gaveWay).toBe(1);
  expect(await waiting()).toBe(WAITING);
  for (const socket of crowd) socket.destroy();
  await expect.poll(waiting).toBe(1);

  expect(await metric('vidimus_key_signatures_total')).toBe(HELD);
  expect(await metric('vidimus_key_cache_bytes')).toBe(cachedBytes);
  for (const holder of holders) holder.destroy();
  expect(await readAll(waiter)).toBeGreaterThan(OTHERS * PADDING_BYTES);
  expect(await metric('vidimus_key_signatures_total')).toBe(HELD + OTHERS);
});
