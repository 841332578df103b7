import { beforeEach, describe, expect, it, vi } from 'vitest';

import { JobStore } from '../../../src/core/job-runner/job-store.js';
import type { RunWork, StartedRun } from '../../../src/core/job-runner/job-run.js';
import type { JobRunner } from '../../../src/core/job-runner/job-runner.js';
import { testEngines } from '../../support/store/databases.js';
import { createRunnerKit, SteppedWork } from './runner-kit.js';
import { setUpEach } from '../../support/set-up.js';

describe.each(testEngines())('the runner of jobs on %s', (engine) => {
  const kit = setUpEach(() => createRunnerKit(engine));
  let runner: JobRunner;
  let stepped: SteppedWork;

  beforeEach(async () => {
    runner = kit.runner();
    stepped = new SteppedWork();
  });

  const start = (on = runner, work = stepped.work): Promise<StartedRun> =>
    on.start({ job: 'sort', actor: 'alice', work });
  const row = async ({ run }: StartedRun) => (await kit.store.findRuns([run.id]))[0]!;

  it('the row of an operator’s run is there before the work, and holds its end', async () => {
    const started = await start();
    expect(started.run).toMatchObject({
      job: 'sort',
      cause: 'operator',
      actor: 'alice',
      outcome: 'running',
      finishedTs: null,
      instance: 'one',
    });

    await stepped.finish();
    expect(await started.finished).toMatchObject({ outcome: 'ok', counts: { batches: 4 } });
    expect(await row(started)).toMatchObject({ outcome: 'ok', progress: 1, counts: { batches: 4 } });
  });

  it('progress and counts reach the row while the run goes on', async () => {
    const started = await start();
    await stepped.step();
    await stepped.step();

    await vi.waitFor(async () => expect((await row(started)).progress).toBeGreaterThanOrEqual(0.25), 5000);
    expect(await row(started)).toMatchObject({ outcome: 'running' });
    await stepped.finish();
  });

  it('a second run of the same job is refused here and elsewhere, one of another job is not', async () => {
    const started = await start();

    await expect(start()).rejects.toMatchObject({ status: 409, reason: 'already_running' });
    await expect(start(kit.runner('two'))).rejects.toMatchObject({ reason: 'already_running' });
    expect(await kit.runner('two').runDue({ job: 'sort', work: new SteppedWork().work })).toMatchObject({
      outcome: 'skipped',
      reason: 'running_elsewhere',
    });
    const other = await runner.start({ job: 'other', actor: 'alice', work: async () => undefined });
    expect(await other.finished).toMatchObject({ outcome: 'ok' });

    await stepped.finish();
    await started.finished;
    const again = await start(kit.runner('two'), async () => undefined);
    expect(await again.finished).toMatchObject({ outcome: 'ok' });
    expect(await kit.rows()).toHaveLength(3);
  });

  it('of two that are started at the same moment one is refused', async () => {
    await (
      await start(runner, async () => undefined)
    ).finished;
    const [first, second] = await Promise.allSettled([start(), start()]);
    expect(second).toMatchObject({ status: 'rejected', reason: { reason: 'already_running' } });
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(await kit.rows()).toHaveLength(2);
    await stepped.finish();
  });

  it('of due runs on three instances one does the work, with or without checkpoints', async () => {
    let atOnce = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++atOnce);
      await Promise.all(Array.from({ length: 20 }, () => kit.rows()));
      atOnce -= 1;
    };
    const all = [runner, kit.runner('two'), kit.runner('three')];
    const reports = await Promise.all(all.map((on) => on.runDue({ job: 'sort', work })));

    expect(most).toBe(1);
    expect(reports.filter(({ outcome }) => outcome === 'ok')).not.toHaveLength(0);
    expect(reports.filter(({ outcome }) => outcome === 'failed')).toHaveLength(0);
  });

  it('a due run that has done something shows itself and can be cancelled', async () => {
    const due = runner.runDue({ job: 'sort', work: stepped.work });
    await stepped.step();
    await expect.poll(() => kit.rows(), { timeout: 5000 }).toHaveLength(1);
    const [run] = await kit.rows();
    await expect(start()).rejects.toMatchObject({ reason: 'already_running' });

    expect(await runner.cancel(run!.id)).toBe(true);
    expect(await due).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' });
  });

  it('cancel ends a run between two batches; what was done stays', async () => {
    const started = await start();
    await stepped.step();
    expect(await runner.cancel(started.run.id)).toBe(true);

    expect(await started.finished).toMatchObject({ outcome: 'cancelled', counts: { batches: 2 } });
    expect(await row(started)).toMatchObject({
      outcome: 'cancelled',
      message: 'An operator cancelled it.',
      counts: { batches: 2 },
    });
    expect(await runner.cancel(started.run.id)).toBe(false);
  });

  it('cancel reaches a run of another instance with its next sign of life', async () => {
    const started = await start();
    await kit.runner('two').cancel(started.run.id);
    expect(await row(started)).toMatchObject({
      outcome: 'running',
      message: 'An operator cancelled it; it ends after the current batch.',
    });

    await runner.heartbeat();
    expect(await started.finished).toMatchObject({ outcome: 'cancelled' });
  });

  it('closing ends runs, waits for them, and starts no more', async () => {
    const started = await start();
    await runner.close();

    expect(await row(started)).toMatchObject({
      outcome: 'cancelled',
      message: 'The server was stopped before it was finished.',
    });
    await expect(start()).rejects.toMatchObject({ status: 503 });
    expect(await runner.runDue({ job: 'sort', work: stepped.work })).toMatchObject({
      outcome: 'skipped',
    });
  });

  it('work that throws fails with its message', async () => {
    const failed = await start(runner, () => Promise.reject(new Error('The disk is full.')));
    expect(await failed.finished).toMatchObject({ outcome: 'failed' });
    expect(await row(failed)).toMatchObject({ outcome: 'failed', message: 'The disk is full.' });
  });

  it('an error that goes on leaves a row an hour, whatever its numbers', async () => {
    let run = 0;
    const fail = async (): Promise<void> => {
      run += 1;
      await runner.runDue({
        job: 'sort',
        work: () => Promise.reject(new Error(`${run} files are stuck.`)),
      });
      kit.clock.advance(10 * 60_000);
    };
    for (let times = 0; times < 13; times += 1) await fail();
    await runner.runDue({ job: 'sort', work: async () => undefined });
    await fail();

    const rows = await kit.rows();
    expect(rows.map(({ outcome, message }) => [outcome, message])).toEqual([
      ['failed', '14 files are stuck.'],
      ['failed', '13 files are stuck.'],
      ['failed', '7 files are stuck.'],
      ['failed', '1 files are stuck.'],
    ]);
  });

  it('counts files that could not be removed by their errors', async () => {
    const work: RunWork = async (progress) => {
      for (const code of ['EACCES', 'EIO', 'EIO']) progress.keep(Object.assign(new Error(), { code }));
    };
    const { finished } = await runner.start({ job: 'sweep', actor: 'alice', work });
    expect((await finished).reason).toBe('Files could not be removed: 1 × EACCES, 2 × EIO');
  });

  it('a run without a sign of life for a minute is closed, others are not', async () => {
    const dead = await start(kit.runner('two'));
    const alive = await runner.start({ job: 'other', actor: 'alice', work: new SteppedWork().work });
    kit.clock.advance(61_000);
    await runner.heartbeat();
    await kit.database.client.jobRun.update({
      where: { id: dead.run.id },
      data: { heartbeatTs: BigInt(kit.clock.now() - 60_001) },
    });

    await kit.store.closeDead();
    expect(await row(dead)).toMatchObject({
      outcome: 'failed',
      message: 'The process ended before it was finished.',
      // Its last sign of life.
      finishedTs: kit.clock.now() - 60_001,
    });
    expect(await row(alive)).toMatchObject({ outcome: 'running' });
    await stepped.finish();
  });

  it('a run whose lease another process took ends', async () => {
    const started = await start();
    kit.clock.advance(121_000);
    const thief = await start(kit.runner('two'), new SteppedWork().work);
    await runner.heartbeat();

    expect(await started.finished).toMatchObject({ outcome: 'cancelled', reason: 'running_elsewhere' });
    expect(await row(thief)).toMatchObject({ outcome: 'running' });
  });

  it('a server that starts takes over what its last process left', async () => {
    const dead = await start(kit.runner('server'));
    const next = kit.runner('server');
    await kit.store.takeOver();

    expect(await row(dead)).toMatchObject({ outcome: 'failed' });
    const again = await start(next, async () => undefined);
    expect(await again.finished).toMatchObject({ outcome: 'ok' });
    await stepped.finish();
  });

  it('a pause is seen by every instance until somebody resumes', async () => {
    const [here, there] = [new JobStore(kit.database, kit.clock), new JobStore(kit.database, kit.clock)];
    await here.pause('sort', { actor: 'alice', reason: 'disk moves' });
    await there.pause('sort', { actor: 'bob', reason: '' });

    expect(await there.isPaused('sort')).toBe(true);
    expect(await there.listPauses()).toEqual([
      { job: 'sort', pausedTs: kit.clock.now(), pausedBy: 'alice', reason: 'disk moves' },
    ]);
    await there.resume('sort');
    expect(await here.isPaused('sort')).toBe(false);
  });
});
