import { connect, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { postKeys } from '../../support/clients/notary-client.js';
import { startTestService } from '../../support/service.js';
import { metricOf } from '../../support/world.js';
import { setUpEach } from '../../support/set-up.js';

const MIB = 1024 * 1024;
const CLIENTS = Array.from({ length: 20 }, (_, at) => `127.0.1.${at + 1}`);
const EMPTY = '{"server_keys":[]}';

const service = setUpEach(startTestService);
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
});

/** Sends all of a body of 1 MiB but its last byte; resolves to the head of an answer, or to nothing when there is none. */
function sendAllButOne(localAddress: string): Promise<string | null> {
  return new Promise((resolve) => {
    const port = Number(new URL(service.url).port);
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', (data) => resolve(data.toString('latin1')));
    socket.write(`POST /_svc/key/v2/query HTTP/1.1\r\nHost: a\r\nContent-Length: ${MIB}\r\n\r\n`);
    socket.write(Buffer.alloc(MIB - 1, ' '), () => setImmediate(() => resolve(null)));
  });
}

const sendMany = (count: number, clientOf: (at: number) => string): Promise<(string | null)[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => sendAllButOne(clientOf(at))));

const metric = (name: string) => metricOf(service, name);
const reached = (bound: string): Promise<number> => metric(`vidimus_client_bound_total{bound="${bound}"}`);

it('bodies of one client that are not at their end take 16 MiB, and hold up no other client', async () => {
  await sendMany(40, () => '127.0.0.2');
  await expect.poll(() => reached('client_bodies')).toBeGreaterThanOrEqual(40 - 16);

  expect(service.logs.filter(({ bound }) => bound === 'client_bodies')).toHaveLength(1);
  expect((await postKeys(service.url, '{"server_keys":{}}')).text).toBe(EMPTY);
});

it('bodies of all clients take 128 MiB, and somebody new finds room', async () => {
  await sendMany(320, (at) => CLIENTS[at % CLIENTS.length]!);
  await expect.poll(() => reached('bodies')).toBeGreaterThan(320 - 128);

  expect((await postKeys(service.url, '{"server_keys":{}}'.padEnd(MIB))).text).toBe(EMPTY);
});
