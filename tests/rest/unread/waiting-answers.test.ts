import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, it } from 'vitest';

import { systemClock } from '../../../src/core/base/clock.js';
import { ReachedBounds, type ClientBound } from '../../../src/core/base/limits/reached-bounds.js';
import { LargeAnswers, UnsentBytes } from '../../../src/rest/bounds/held-bytes.js';

const MIB = 1024 * 1024;
const UNREAD_BYTES = 12 * MIB;

it('a large answer that waits for a short one to be read begins once that is over', async () => {
  const reached = new ReachedBounds<ClientBound>({ clock: systemClock, log: () => undefined });
  const unsent = new UnsentBytes({ maxBytes: 32 * MIB, maxBytesPerClient: 8 * MIB }, reached);
  const large = new LargeAnswers(unsent, reached);
  const hold = (response: ServerResponse) => unsent.hold(response, 'c');
  const server = createServer((request, response) => {
    if (request.url === '/unread') {
      response.end(Buffer.alloc(UNREAD_BYTES));
      hold(response);
    } else {
      const exchange = { request, response, requestId: 'r', client: 'c', hold: () => hold(response) };
      const find = async () => ({ parts: [Buffer.alloc(2 * MIB)], bytes: 2 * MIB });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what answers need of an exchange
      void large.send(exchange as unknown as Parameters<typeof large.send>[0], find);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const unread = get(`${url}/unread`).on('error', () => undefined);
    await once(unread, 'response');
    const waiting = get(`${url}/large`);
    await expect.poll(() => large.load.waiting).toBe(1);
    unread.destroy();
    const [answer] = (await once(waiting, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await once(answer, 'end');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('as many unread answers are given up as a new one needs, short ones first', async () => {
  const reached = new ReachedBounds<ClientBound>({ clock: systemClock, log: () => undefined });
  const unsent = new UnsentBytes({ maxBytes: 4 * MIB, maxBytesPerClient: 4 * MIB }, reached);
  const sizes = [1000, 1000, 1000, 3 * MIB, 3 * MIB];
  let held = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200).flushHeaders();
    unsent.hold(response, held < 4 ? 'a' : 'b', sizes[held]);
    held += 1;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    for (const [at] of sizes.entries()) {
      const request = get({ port: (server.address() as AddressInfo).port, agent: false });
      request
        .on('error', () => undefined)
        .on('response', (response) => response.on('error', () => undefined));
      await expect.poll(() => held).toBe(at + 1);
    }
    expect(unsent.bytes).toBe(3 * MIB);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
