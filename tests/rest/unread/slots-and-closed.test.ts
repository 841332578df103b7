import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { createLogger } from '../../../src/core/base/logger.js';
import { ReachedBounds, type ClientBound } from '../../../src/core/base/limits/reached-bounds.js';
import { createMetrics } from '../../../src/core/base/metrics.js';
import { BodyBytes, UnsentBytes } from '../../../src/rest/bounds/held-bytes.js';
import { LargeAnswers } from '../../../src/rest/bounds/large-answers.js';
import { OpenConnections } from '../../../src/rest/bounds/open-connections.js';
import { exchangeOf, ExchangeOpener } from '../../../src/rest/request-exchange.js';
import { ManualClock } from '../../support/manual-clock.js';

const ANSWER = Buffer.alloc(24 * 1024 * 1024, 'x');
const SLOT_MS = 5000;

let server: Server;
let onRequest: (response: ServerResponse) => void;
const sockets: Socket[] = [];
const clock = new ManualClock();
const reached = new ReachedBounds<ClientBound>({ clock, log: () => undefined });
const limits = { maxBytes: 1e9, maxBytesPerClient: 1e9 };

beforeEach(async () => {
  const bounds = { unsent: new UnsentBytes(limits, reached), bodies: new BodyBytes(limits, reached) };
  const options = {
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics('test'),
    reached,
    bounds,
    lines: { admit: () => true },
    requestLogging: 'none' as const,
    requestIdHeader: null,
    xForwarded: false,
  };
  const opener = new ExchangeOpener(options, new OpenConnections());
  server = createServer((request, response) => {
    opener.open(request, response);
    onRequest(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Asks for a path, and reads nothing unless the socket is resumed. */
function ask(path: string): Socket {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' }, () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`),
  );
  sockets.push(socket);
  return socket.pause().on('error', () => undefined);
}

it('nothing is held for an answer whose connection is closed already', async () => {
  const unsent = new UnsentBytes(limits, reached);
  const bodies = new BodyBytes(limits, reached);
  const closed = new Promise<ServerResponse>((resolve) => {
    onRequest = (response) => response.once('close', () => resolve(response));
  });
  const socket = ask('/');
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0);
  socket.destroy();
  const response = await closed;
  unsent.hold(response, 'client', 100);
  expect(bodies.open(response, 'client')(100)).toBe(false);
  expect([unsent.bytes, bodies.bytes]).toEqual([0, 0]);
});

it('a client whose slow answer lost its slot may ask again once that is over', async () => {
  const answers = new LargeAnswers(
    { maxBytes: 1, maxBytesPerClient: 1 },
    { clock, bounds: reached, unsent: new UnsentBytes(limits, reached) },
  );
  const begun: string[] = [];
  onRequest = (response) => {
    const client = response.req.url ?? '';
    const find = async () => {
      begun.push(client);
      return { parts: [ANSWER], bytes: ANSWER.length };
    };
    void answers.send(exchangeOf(response), { client, find });
  };
  const nextLook = (): number => {
    clock.advance(SLOT_MS);
    answers.look();
    return begun.length;
  };
  const first = ask('/a');
  await expect.poll(() => begun).toEqual(['/a']);
  for (const path of ['/b', '/c', '/d']) ask(path);
  await expect.poll(() => answers.load.waiting).toBe(3);
  // All but the last lose their slot to the next one.
  await expect.poll(nextLook, { interval: 100 }).toBe(4);

  for (const socket of sockets.slice(1)) socket.destroy();
  first.destroy();
  ask('/a');
  await expect.poll(() => begun.length).toBe(5);
});
