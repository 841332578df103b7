import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { TYPESCRIPT } from '../../support/typescript.js';
import { postKey } from '../../support/clients/notary-client.js';
import type { FloodingTask } from './flooding-process.js';
import { questionText, startServing, type Serving } from './serving.js';

const FLOODING = fileURLToPath(new URL('flooding-process.ts', import.meta.url));
const MB = 1024 * 1024;
const SILENT = 100;
const FLOODING_CONNECTIONS = 8;
const HONEST_QUESTIONS = 200;
const ROUNDS = 3;

let serving: Serving;
const sockets: Socket[] = [];

beforeEach(async () => {
  serving = await startServing();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await serving.stop();
});

/** Opens connections that ask for 14.4 MB and read nothing; resolves with what they cost once all have asked. */
async function askSilently(addressOf: (at: number) => string): Promise<{ grownBytes: number }> {
  const { start } = serving;
  const { keyQueries } = await serving.tell('look');
  const text = questionText(start.largeQuestion);
  for (let at = 0; at < SILENT; at += 1) {
    const to = { port: Number(new URL(start.url).port), host: '127.0.0.1', localAddress: addressOf(at) };
    const socket = connect(to, () => socket.write(text));
    sockets.push(socket);
    socket.pause().on('error', () => undefined);
  }
  await expect
    .poll(async () => (await serving.tell('look')).keyQueries)
    .toBeGreaterThanOrEqual(keyQueries + SILENT);
  return { grownBytes: (await serving.tell('look')).peakRssBytes - start.rssBytes };
}

it('100 connections that read nothing cost a bounded amount of memory, and are closed', async () => {
  expect((await askSilently(() => '127.0.0.1')).grownBytes).toBeLessThan(300 * MB);
  await expect
    .poll(async () => (await serving.tell('advance')).sockets, { timeout: 40_000, interval: 500 })
    .toBeLessThan(10);
});

it('100 connections from as many addresses that read nothing cost no more', async () => {
  expect((await askSilently((at) => `127.0.1.${at + 1}`)).grownBytes).toBeLessThan(300 * MB);
});

it('eight connections that ask for 14.4 MB without end hold up no small question', async () => {
  const { start } = serving;
  const ask = async (): Promise<number> => {
    const startMs = performance.now();
    expect((await postKey(start.url, start.smallName)).records).toHaveLength(1);
    return performance.now() - startMs;
  };
  await ask();
  const task: FloodingTask = {
    port: Number(new URL(start.url).port),
    text: questionText(start.largeQuestion),
    connections: FLOODING_CONNECTIONS,
  };
  const flood = fork(FLOODING, [JSON.stringify(task)], { execArgv: ['--import', TYPESCRIPT] });
  await once(flood, 'message');
  const p99s: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const times: number[] = [];
    for (let n = 0; n < HONEST_QUESTIONS; n += 1) times.push(await ask());
    times.sort((a, b) => a - b);
    p99s.push(times[Math.floor(HONEST_QUESTIONS * 0.99) - 1]!);
  }
  const { peakRssBytes } = await serving.tell('look');
  flood.disconnect();
  await once(flood, 'exit');

  // Other programs of the machine only ever add to it.
  expect(Math.min(...p99s)).toBeLessThan(100);
  expect(peakRssBytes - start.rssBytes).toBeLessThan(300 * MB);
});
