import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { startTestService, type TestService } from '../support/service.js';

const HALF_MADE = 10_000;
const ROWS_AT_ONCE = 500;
const ROUNDS = 3;
const ASKS = 20;
/** To be ready, beyond what an empty store takes. */
const LIMIT_MS = 500;

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.remove());

/** How long the service takes from its start until it is ready, ms. */
async function restartMs(): Promise<number> {
  await service.stop();
  const beginMs = performance.now();
  service = await service.restart();
  return performance.now() - beginMs;
}

async function leaveRows(): Promise<void> {
  const { client } = service.context.parts.database;
  const ts = BigInt(service.clock.now());
  for (let at = 0; at < HALF_MADE; at += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: ROWS_AT_ONCE }, (_, n) => at + n);
    await client.media.createMany({
      data: numbers.map((n) => ({
        mediaId: `2026-11-01_${String(n).padStart(16, 'x')}`,
        userId: '@a:b',
        createdTs: ts,
        contentType: 'image/png',
        sizeBytes: 1000,
        sha256: 'x',
        urlCache: 'http://a.example/',
      })),
    });
    await client.jobRun.createMany({
      data: numbers.map((n) => ({
        job: `job-${n}`,
        cause: 'job',
        startedTs: ts,
        outcome: 'running',
        counts: {},
        bytes: 0n,
        instance: 'killed',
        heartbeatTs: ts,
      })),
    });
  }
}

async function leaveFiles(): Promise<void> {
  const folder = join(service.context.config.media_store_path, 'tmp');
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < HALF_MADE; n += 1) await writeFile(join(folder, `left-${n}`), 'x');
}

/** The readiness of the service, and how long it took to tell, ms. */
async function ready(): Promise<{ status: number; tookMs: number }> {
  const beginMs = performance.now();
  const { status } = await fetch(`${service.url}/health/ready`);
  return { status, tookMs: performance.now() - beginMs };
}

it('a start takes no longer for what a killed process has left half-made', async () => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await restartMs());
  await leaveRows();
  await leaveFiles();
  const repairingMs = await restartMs();
  const asks: { status: number; tookMs: number }[] = [];
  for (let n = 0; n < ASKS; n += 1) asks.push(await ready());

  expect(repairingMs).toBeLessThan(Math.max(...times) + LIMIT_MS);
  // Answers come while the rest is repaired.
  expect(new Set(asks.map(({ status }) => status))).toEqual(new Set([200]));
  const median = asks.map(({ tookMs }) => tookMs).toSorted((x, y) => x - y)[ASKS / 2];
  expect(median).toBeLessThan(LIMIT_MS);
  const { client } = service.context.parts.database;
  expect(await client.jobRun.count({ where: { outcome: 'running', instance: 'killed' } })).toBe(0);
});
