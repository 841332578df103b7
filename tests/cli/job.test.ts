import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/core/base/clock.js';
import { openDatabase, type Database } from '../../src/core/store/db.js';
import { JobLeaseStore } from '../../src/core/job-runner/job-lease-store.js';
import { JobPauseStore } from '../../src/core/job-runner/job-pause-store.js';
import { createLogger } from '../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

describe.each(testEngines())('vidimus job on %s', (engine) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let place: TestDatabase;
  let database: Database;
  const settings = () => ({
    media_store_path: join(folder.path, 'media'),
    database:
      place.options.engine === 'sqlite'
        ? { path: place.options.path }
        : { engine: 'postgresql', url: place.options.url },
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    await writeConfig(folder.path, settings());
  });
  afterEach(async () => {
    await database.close();
    await place.cleanup();
    await folder.remove();
  });
  const lineOf = (...args: string[]) => ['job', ...args, '-c', 'config.yaml'];
  const run = (...args: string[]) => runHere(lineOf(...args), { cwd: folder.path });

  it('runs a job here, leaves its row, and tells what it did', async () => {
    const old = join(folder.path, 'media', 'tmp', 'left-over');
    await mkdir(join(folder.path, 'media', 'tmp'), { recursive: true });
    await writeFile(old, 'young');

    const done = await vidimus(lineOf('run', 'media_sweep', '--json'), { cwd: folder.path });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(done.stdout)).toMatchObject({
      job: 'media_sweep',
      outcome: 'ok',
      counts: {},
      message: null,
    });
    // A server may be writing it at this moment.
    expect(await readdir(join(folder.path, 'media', 'tmp'))).toEqual(['left-over']);
    expect(await database.client.jobRun.findMany()).toMatchObject([
      { job: 'media_sweep', cause: 'operator', actor: 'command line', outcome: 'ok' },
    ]);
    expect(await run('run', 'preview_cleanup')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^preview_cleanup: done in \d+.*\. Nothing to do\n$/),
    });
  });

  it('lists jobs with state and last run', async () => {
    await run('run', 'preview_cleanup');
    await new JobPauseStore(database, systemClock).pause('media_sweep', { actor: 'alice', reason: 'move' });

    const jobs = JSON.parse((await run('ls', '--json')).stdout) as { name: string }[];
    expect(jobs.find(({ name }) => name === 'preview_cleanup')).toMatchObject({
      every_ms: 10_000,
      state: 'idle',
      last_run: { outcome: 'ok' },
    });
    const table = await run('ls');
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/^JOB +EVERY +STATE/);
    expect(table.stdout).toMatch(/media_sweep +6h +paused +none kept +Paused by alice on .*: move/);
  });

  it('fails with 1 while another process runs the job, and with 2 for a job nobody knows', async () => {
    await new JobLeaseStore(database, systemClock).take('preview_cleanup');
    expect(await run('run', 'preview_cleanup')).toMatchObject({
      code: 1,
      stderr: 'vidimus: This job is running already.\n',
    });
    expect(await run('run', 'delete_media')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are preview_cleanup, media_sweep'),
    });
  });

  it('starts no media job that is another instance’s', async () => {
    const elsewhere = { media_instance_running_background_jobs: 'one', jobs: { instance: 'two' } };
    await writeConfig(folder.path, { ...settings(), ...elsewhere });

    expect(await run('run', 'preview_cleanup')).toMatchObject({
      code: 1,
      stderr: 'vidimus: This job runs on the instance one only.\n',
    });
  });
});

it('job: an unreachable database ends with 3', async () => {
  const folder = await temporaryFolder();
  await writeConfig(folder.path, {
    database: { engine: 'postgresql', url: 'postgresql://u@127.0.0.1:1/none' },
  });
  expect(await runHere(['job', 'ls', '-c', 'config.yaml'], { cwd: folder.path })).toMatchObject({ code: 3 });
  await folder.remove();
});
