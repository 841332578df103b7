import { connect, type Socket } from 'node:net';

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { postKeys } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { metricOf } from '../../support/world.js';
import { questionText } from './serving.js';
import { setUp } from '../../support/set-up.js';

const PADDING_BYTES = 240_000;
const REMOTES = 60;
const READ_PAUSE_MS = 20;
const YEAR_MS = 365 * 86_400_000;
/** Half of the slots is for clients that hold none. */
const HOLDERS = ['2', '2', '3', '3', '4', '5', '6', '7'].map((last) => `127.0.0.${last}`);
/** 256 kB a second, by the clock of the service. */
const LOOK_MS = 2500;
const MAX_LOOKS = 4;
const SLOW_BYTES = 640_000;

const authority = setUp(createTestAuthority);
let service: TestService;
let remotes: RemoteServer[];
const sockets: Socket[] = [];

beforeAll(async () => {
  service = await startTestService({ caPaths: [authority.caPath] });
  const record = {
    validUntilTs: service.clock.now() + YEAR_MS,
    extra: { padding: 'x'.repeat(PADDING_BYTES) },
  };
  remotes = await Promise.all(Array.from({ length: REMOTES }, () => startRemoteServer(authority, record)));
  for (const remote of remotes) await postKeys(service.url, question([remote]));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await service.remove();
  await Promise.all(remotes.map(({ origin }) => origin.close()));
});

/** Another run on the stored records, with figures from 0. */
async function startAgain(server: object = {}): Promise<void> {
  service = await service.restart({ server });
}

const question = (asked: readonly RemoteServer[]): string =>
  JSON.stringify({
    server_keys: Object.fromEntries(asked.map(({ serverName }) => [serverName, { 'ed25519:k1': {} }])),
  });

/** Asks and reads nothing. */
function ask(asked: readonly RemoteServer[], localAddress = '127.0.0.1'): Socket {
  const text = questionText(question(asked));
  const port = Number(new URL(service.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(text));
  sockets.push(socket);
  return socket.pause().on('error', () => undefined);
}

/** What has come and is not read. */
function comeBytes(socket: Socket): number {
  socket.read(0);
  return socket.readableLength;
}

/** Resolves with whether all of the answer has come before the connection was closed. */
function readsAll(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = socket.bytesRead - socket.readableLength;
    socket.once('close', () => resolve(false));
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= REMOTES * PADDING_BYTES) resolve(true);
    });
    socket.resume();
  });
}

const metric = (name: string) => metricOf(service, name);

it('a client that reads nothing is cut off after a minute, and told of once', async () => {
  await startAgain();
  ask(remotes);
  await expect.poll(() => metric('vidimus_large_answers_writing')).toBe(1);
  const cutOff = async (): Promise<number> => {
    service.clock.advance(10_000);
    return metric('vidimus_client_bound_total{bound="stalled"}');
  };
  await expect.poll(cutOff, { timeout: 20_000, interval: 1100 }).toBe(1);

  expect(await metric('vidimus_large_answers_writing')).toBe(0);
  expect(service.logs.filter(({ bound }) => bound === 'stalled')).toHaveLength(1);
});

it('a slow client that reads steadily gets everything', async () => {
  await startAgain();
  const socket = ask(remotes);
  let bytes = 0;
  let head = '';
  socket.on('data', (chunk: Buffer) => {
    if (bytes === 0) head = chunk.toString('latin1');
    bytes += chunk.length;
    // Some 64 kB a second by the clock of the service, over several of its looks at what is unread.
    socket.pause();
    setTimeout(() => {
      service.clock.advance(1000);
      socket.resume();
    }, READ_PAUSE_MS);
  });
  socket.resume();
  const length = await expect
    .poll(() => Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0))
    .toBeGreaterThan(REMOTES * PADDING_BYTES)
    .then(() => Number(/content-length: (\d+)/i.exec(head)?.[1]));
  await expect.poll(() => bytes).toBe(length + head.indexOf('\r\n\r\n') + 4);
});

it('six slow readers keep nobody else waiting, and are not cut off for it', async () => {
  await startAgain();
  const holders: Socket[] = [];
  for (const address of HOLDERS) {
    const holder = ask(remotes, address);
    holders.push(holder);
    // The slot is taken by then.
    await expect.poll(() => comeBytes(holder)).toBeGreaterThan(0);
  }
  let isServed = false;
  void readsAll(ask(remotes, '127.0.0.8')).then((isWhole) => (isServed = isWhole));
  let looks = 0;
  const readsOn = (): boolean => {
    looks += 1;
    if (looks <= MAX_LOOKS) {
      service.clock.advance(LOOK_MS);
      for (const holder of holders) holder.read(Math.min(SLOW_BYTES, holder.readableLength));
    }
    return isServed;
  };
  // Ten seconds of that clock, after which no holder's answer is over.
  await expect.poll(readsOn, { interval: 1100 }).toBe(true);

  expect(await Promise.all(holders.map(readsAll))).toEqual(HOLDERS.map(() => true));
});

it('what a large answer lacks is fetched without one of the four slots', async () => {
  await startAgain();
  const record = { validUntilTs: service.clock.now() + YEAR_MS };
  const silent = await Promise.all(Array.from({ length: 4 }, () => startRemoteServer(authority, record)));
  for (const { origin } of silent) origin.respond = () => undefined;
  const large = remotes.slice(0, 5);
  const waiting = silent.map((remote, n) => ask([...large, remote], `127.0.0.${n + 2}`));
  await expect.poll(() => silent.map((remote) => remote.hits())).toEqual([1, 1, 1, 1]);

  expect(await metric('vidimus_large_answers_writing')).toBe(0);
  expect((await postKeys(service.url, question(large))).records).toHaveLength(5);
  expect(waiting.map(comeBytes)).toEqual([0, 0, 0, 0]);
  await Promise.all(silent.map(({ origin }) => origin.close()));
  await expect.poll(() => Math.min(...waiting.map(comeBytes))).toBeGreaterThan(0);
});

it('a query whose answer turns out to be large fetches once', async () => {
  const record = {
    validUntilTs: service.clock.now() + YEAR_MS,
    extra: { padding: 'x'.repeat(PADDING_BYTES) },
  };
  const others = await Promise.all(Array.from({ length: 5 }, () => startRemoteServer(authority, record)));
  const criteria = { 'ed25519:k1': { minimum_valid_until_ts: record.validUntilTs + 1 } };
  const { records } = await postKeys(service.url, {
    server_keys: Object.fromEntries(others.map(({ serverName }) => [serverName, criteria])),
  });

  expect(records).toHaveLength(5);
  expect(others.map((remote) => remote.hits())).toEqual([1, 1, 1, 1, 1]);
  await Promise.all(others.map(({ origin }) => origin.close()));
});

it('unread answers of one client are held up to a quarter of what all may leave unread', async () => {
  await startAgain({ max_unsent_size: '8M' });
  for (let n = 0; n < 8; n += 1) {
    // Each of these fills what the kernel takes, and something is left.
    const socket = ask(remotes.slice(0, 4));
    for (let again = 0; again < 7; again += 1) socket.write(questionText(question(remotes.slice(0, 4))));
  }
  await expect.poll(() => metric('vidimus_client_bound_total{bound="client_unsent"}')).toBeGreaterThan(0);

  expect(await metric('vidimus_unsent_bytes')).toBeLessThanOrEqual(2 * 1024 * 1024);
});
