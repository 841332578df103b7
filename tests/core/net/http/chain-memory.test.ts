import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { respondJson, startKeyOrigin, type KeyOrigin } from '../../../support/origins/key-origin.js';
import { createSelfSigned, createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import type { ConnectingReport, ConnectingTask } from './connecting-process.js';

const PROCESS = fileURLToPath(new URL('connecting-process.ts', import.meta.url));
/** Each cost 8.6 kB for good when Node kept what the chain holds; a hundred would show more and take a minute. */
const FILLERS = 24;
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;

let ca: TestCa;
let origin: KeyOrigin;

beforeEach(async () => {
  ca = await createTestCa();
  const leaf = await ca.leaf({ names: ['127.0.0.1'] });
  const filler = await createSelfSigned(['filler.example']);
  const certificate = { ...leaf, cert: `${leaf.cert}\n${`${filler.cert}\n`.repeat(FILLERS)}` };
  origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
});
afterEach(() => origin.close());

/** Connects in a process of its own, where nothing else takes memory. */
async function connect(task: ConnectingTask): Promise<ConnectingReport> {
  const args = ['--import', 'tsx', '--expose-gc', PROCESS, JSON.stringify(task)];
  const env = { ...process.env, MALLOC_ARENA_MAX: '2' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as ConnectingReport;
}

it('memory levels off over 3,000 connections that show long chains', async () => {
  const { rssBytes } = await connect({
    port: origin.port,
    caPem: ca.caPem,
    connections: 3000,
    maxGrowthBytes: MAX_GROWTH_BYTES,
  });

  const firstBytes = rssBytes[0] ?? 0;
  expect(rssBytes.map((bytes) => Math.max(0, bytes - firstBytes))).toSatisfy(
    (growths: number[]) => growths.length === 10 && growths.every((bytes) => bytes < MAX_GROWTH_BYTES),
  );
}, 120_000);
