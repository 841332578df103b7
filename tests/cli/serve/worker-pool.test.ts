import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { WorkerPool } from '../../../src/cli/serve/workers/worker-pool.js';
import { createLogger } from '../../../src/core/base/logger.js';
import type { LogLine } from '../../support/service.js';

/** The first asks for figures before it is ready, and takes away what further ones need to begin. */
const WORKER = `
import { rmSync, writeFileSync } from 'node:fs';
const folder = process.argv[2];
const tell = (message) => process.send(message);
const isFirst = process.env.VIDIMUS_WORKER === '1';
process.on('message', ({ kind, round, texts }) => {
  if (kind === 'tell_figures') tell({ kind: 'figures', round, text: 'of the first' });
  if (kind !== 'all_figures') return;
  if (texts.join() !== 'of the first') process.exit(7);
  rmSync(folder + '/cwd', { recursive: true });
  tell({ kind: 'ready' });
});
if (isFirst) tell({ kind: 'figures_wanted' });
else writeFileSync(folder + '/second', '');
`;

let folder: string;
let end = (): Promise<number> => Promise.resolve(0);
const before = process.listeners('internalMessage' as 'message');
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-pool-'));
  await mkdir(join(folder, 'cwd'));
  await writeFile(join(folder, 'worker.mjs'), WORKER);
});
afterEach(async () => {
  delete process.env[TOO_LONG];
  await end();
  cluster.removeAllListeners();
  for (const listener of process.listeners('internalMessage' as 'message'))
    if (!before.includes(listener)) process.removeListener('internalMessage', listener);
  await rm(folder, { recursive: true });
});

/** Name of a variable that has more in it than the system takes. */
const TOO_LONG = 'VIDIMUS_TEST_TOO_LONG';

it('a worker that cannot be started is tried again, and who asks has figures before any is ready', async () => {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  const logger = createLogger({ level: 'info', destination });
  const args = [folder];
  cluster.setupPrimary({ exec: join(folder, 'worker.mjs'), args, cwd: join(folder, 'cwd'), execArgv: [] });
  const pool = new WorkerPool({ count: 2, instance: null, takePlace: async () => undefined, logger });
  const ended = pool.run();
  end = () => {
    pool.stop('SIGTERM');
    return ended;
  };
  const failures = () =>
    lines
      .filter(({ msg }) => msg === 'a worker ended and is started again')
      .map(({ err }) => (err as { message: string }).message);
  // Told by an event: no such folder; EAGAIN is told so, too.
  await expect.poll(() => failures().join()).toContain('ENOENT');
  // Thrown: too long for the system; ENOMEM is, too.
  process.env[TOO_LONG] = 'x'.repeat(200_000);
  await mkdir(join(folder, 'cwd'));
  await expect.poll(() => failures().join()).toContain('E2BIG');
  delete process.env[TOO_LONG];
  await expect.poll(() => existsSync(join(folder, 'second'))).toBe(true);
  expect(await end()).toBe(0);
});
