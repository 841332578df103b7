import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { respondJson, startKeyOrigin, type KeyOrigin } from '../../../support/origins/key-origin.js';
import { createSelfSigned, createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import type { ConnectingReport, ConnectingTask } from './connecting-process.js';

const PROCESS = fileURLToPath(new URL('connecting-process.ts', import.meta.url));
/** Each cost 7 kB for good when Node kept what the chain holds, so that few connections show what an ordinary chain costs. */
const FILLERS = 16;
const CONNECTIONS = 360;
/** In a third of the connections; 2.1 kB for each. */
const MAX_GROWTH_BYTES = 256 * 1024;
/** Little else moves then: young objects are few, and what is freed goes back to the system. */
const QUIET_HEAP = ['--expose-gc', '--max-semi-space-size=1', '--single-threaded-gc'];
const QUIET_MALLOC = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '65536',
};

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
  const args = ['--import', 'tsx', ...QUIET_HEAP, PROCESS, JSON.stringify(task)];
  const env = { ...process.env, ...QUIET_MALLOC };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as ConnectingReport;
}

it('native memory levels off over many connections that show long chains', async () => {
  const { nativeBytes } = await connect({ port: origin.port, caPem: ca.caPem, connections: CONNECTIONS });

  const [atFirst = 0, afterOne = 0, afterTwo = 0, atLast = 0] = [0, 3, 6, 9].map((at) => nativeBytes[at]);
  expect(nativeBytes).toHaveLength(10);
  // What is kept for good grows in each third; anything else may grow once.
  expect(Math.min(afterOne - atFirst, afterTwo - afterOne, atLast - afterTwo)).toBeLessThan(MAX_GROWTH_BYTES);
});
