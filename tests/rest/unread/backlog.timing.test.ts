import { connect, type Socket } from 'node:net';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { startTestService, type TestService } from '../../support/service.js';

const CROWD = 1000;
/** After which a system tries again to connect where there was no room for it. */
const RETRY_MS = 1000;

let service: TestService;
const sockets: Socket[] = [];

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.remove();
});

it('a crowd that connects at once leaves room for others to connect', async () => {
  const port = Number(new URL(service.url).port);
  const open = (localAddress: string): Promise<number> => {
    const startMs = performance.now();
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(performance.now() - startMs)).on('error', reject);
    });
  };

  // All of them before the first is accepted.
  const crowd = Array.from({ length: CROWD }, () => open('127.0.0.2'));
  const neighbour = open('127.0.0.3');

  expect(await neighbour).toBeLessThan(RETRY_MS);
  expect(Math.max(...(await Promise.all(crowd)))).toBeLessThan(RETRY_MS);
});
