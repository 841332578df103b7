import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { RunProgress } from '../../../src/core/job-runner/run-progress.js';
import { startTestService, type TestService } from '../../support/service.js';
import { OperationRunner } from '../run-operation.js';

const JOBS = `{ jobs { id name title description everyMs state reason instance canRunNow nextRunAt
  lastRun { id outcome actor counts { name value } } runs(first: 2) { nodes { id job { name } } pageInfo { hasNextPage } } } }`;
const JOB = `query ($name: String!, $after: String, $outcome: RunOutcome) { job(name: $name) { state reason nextRunAt
  runs(first: 2, after: $after, outcome: $outcome) { nodes { id outcome } pageInfo { hasNextPage endCursor } totalCount } } }`;
const RUN = `mutation ($name: String!) { runJob(name: $name) {
  userErrors { code message field } run { id cause actor outcome job { name } } } }`;
const CANCEL = `mutation ($id: ID!) { cancelJobRun(id: $id) { userErrors { code } run { outcome message } } }`;
const PAUSE = `mutation ($name: String!, $paused: Boolean!, $reason: String) {
  setJobPaused(name: $name, paused: $paused, reason: $reason) { userErrors { code field } job { state reason nextRunAt } } }`;
const JOB_RUN = `query ($id: ID!) { jobRun(id: $id) { outcome progress message finishedAt counts { name value } }}`;

describe('jobs for operators', () => {
  let service: TestService;
  let runner: OperationRunner;
  beforeEach(async () => {
    service = await startTestService();
    runner = new OperationRunner(service.context.services.operators);
  });
  afterEach(() => service.remove());

  const settled = async (name: string) => {
    const { data } = await runner.run(RUN, { name });
    const { run } = data.runJob;
    await expect
      .poll(async () => (await runner.run(JOB_RUN, { id: run.id })).data.jobRun.outcome)
      .not.toBe('RUNNING');
    return run;
  };

  it('are listed with what they do, when they run next, and their runs', async () => {
    const cleanup = await settled('preview_cleanup');
    await settled('preview_cleanup');
    await settled('preview_cleanup');
    const { jobs } = (await runner.run(JOBS, {}, 'viewer')).data;
    const names = jobs.map(({ name }: { name: string }) => name);

    expect(names).toEqual(expect.arrayContaining(['preview_cleanup', 'media_sweep', 'prune_fetch_history']));
    expect(names).toEqual(expect.arrayContaining(['delete_previews', 'delete_media', 'refresh_previews']));
    expect(jobs[0]).toMatchObject({
      name: 'preview_cleanup',
      everyMs: 10_000,
      state: 'IDLE',
      canRunNow: true,
      nextRunAt: expect.any(String),
      lastRun: { outcome: 'OK', actor: '@op:test' },
      runs: { nodes: [{ job: { name: 'preview_cleanup' } }, {}], pageInfo: { hasNextPage: true } },
    });
    expect(jobs[0].runs.nodes.map(({ id }: { id: string }) => id)).not.toContain(cleanup.id);
    expect(jobs.at(-1)).toMatchObject({ everyMs: null, canRunNow: false, nextRunAt: null, lastRun: null });
  });

  it('runs are paged and filtered', async () => {
    for (let count = 0; count < 3; count += 1) await settled('preview_cleanup');
    const { data } = await runner.run(JOB, { name: 'preview_cleanup' });
    const { nodes, pageInfo, totalCount } = data.job.runs;
    expect([nodes.length, totalCount]).toEqual([2, 3]);

    const next = await runner.run(JOB, { name: 'preview_cleanup', after: pageInfo.endCursor });
    expect(next.data.job.runs.nodes).toHaveLength(1);
    expect(nodes).not.toContainEqual(next.data.job.runs.nodes[0]);
    const failed = await runner.run(JOB, { name: 'preview_cleanup', outcome: 'FAILED' });
    expect(failed.data.job.runs.nodes).toEqual([]);
    expect((await runner.run(JOB, { name: 'none' })).data.job).toBeNull();
  });

  it('a run under way shows its progress, keeps a second one out, and can be cancelled', async () => {
    let runProgress: RunProgress | undefined;
    const { run } = await service.context.services.jobs.runner.start({
      job: 'preview_cleanup',
      actor: 'alice',
      work: (progress) => {
        runProgress = progress;
        Object.assign(progress, { total: 4, done: 1 });
        progress.add('previews', 500);
        return new Promise((_, reject) =>
          progress.signal.addEventListener('abort', () => reject(new Error('ended'))),
        );
      },
    });
    await service.context.services.jobs.runner.heartbeat();
    expect(runProgress?.fraction).toBe(0.25);
    const refused = (await runner.run(RUN, { name: 'preview_cleanup' })).data.runJob;
    expect(refused).toMatchObject({
      userErrors: [{ code: 'ALREADY_RUNNING', message: expect.stringContaining('wait'), field: null }],
      run: { outcome: 'RUNNING', actor: 'alice' },
    });
    const { id } = refused.run;
    expect((await runner.run(JOB_RUN, { id }, 'viewer')).data).toMatchObject({
      jobRun: { outcome: 'RUNNING', progress: 0.25, counts: [{ name: 'previews', value: 500 }] },
    });
    expect((await runner.run(JOB, { name: 'preview_cleanup' })).data.job.state).toBe('RUNNING');

    expect((await runner.run(CANCEL, { id })).data.cancelJobRun.userErrors).toEqual([]);
    await expect.poll(async () => (await runner.run(JOB_RUN, { id })).data.jobRun.outcome).toBe('CANCELLED');
    expect((await runner.run(CANCEL, { id })).data.cancelJobRun).toMatchObject({
      userErrors: [{ code: 'CONFLICT' }],
      run: { outcome: 'CANCELLED' },
    });
    expect(run.job).toBe('preview_cleanup');
  });

  it('a paused job says by whom and why, and runs when asked to only', async () => {
    const name = 'preview_cleanup';
    const paused = (await runner.run(PAUSE, { name, paused: true, reason: 'disk moves' })).data.setJobPaused;
    expect(paused).toMatchObject({
      userErrors: [],
      job: {
        state: 'PAUSED',
        nextRunAt: null,
        reason: expect.stringMatching(/^Paused by @op:test on .* UTC: disk moves$/),
      },
    });
    expect((await settled(name)).outcome).toBe('RUNNING');
    const resumed = (await runner.run(PAUSE, { name, paused: false })).data.setJobPaused;
    expect(resumed.job).toMatchObject({ state: 'IDLE', reason: null });
  });

  it.each<[string, string, object, string]>([
    ['an unknown job', RUN, { name: 'none' }, 'NOT_FOUND'],
    ['a job that needs a selection', RUN, { name: 'delete_previews' }, 'INVALID'],
    ['pausing such a job', PAUSE, { name: 'delete_media', paused: true }, 'INVALID'],
    [
      'a reason without end',
      PAUSE,
      { name: 'media_sweep', paused: true, reason: 'x'.repeat(501) },
      'INVALID',
    ],
    ['a run that is not there', CANCEL, { id: Buffer.from('JobRun:99').toString('base64url') }, 'NOT_FOUND'],
    ['an id of something else', CANCEL, { id: 'nonsense' }, 'NOT_FOUND'],
  ])('%s is refused in words', async (_, source, variables, code) => {
    const { data, errors } = await runner.run(source, { ...variables });
    expect(errors).toEqual([]);
    expect(Object.values<{ userErrors: object[] }>(data)[0]!.userErrors).toMatchObject([{ code }]);
  });

  it('viewers start nothing, operators pause nothing', async () => {
    expect((await runner.run(RUN, { name: 'media_sweep' }, 'viewer')).errors).toMatchObject([
      { code: 'FORBIDDEN' },
    ]);
    const pause = await runner.run(PAUSE, { name: 'media_sweep', paused: true }, 'operator');
    expect(pause.errors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });
});

it('media jobs of another instance are skipped here, say where they run, and are not started here', async () => {
  const settings = { media_instance_running_background_jobs: 'vidimus-1', jobs: { instance: 'vidimus-2' } };
  const service = await startTestService({ settings });
  const runner = new OperationRunner(service.context.services.operators);

  const { jobs } = (await runner.run(JOBS)).data;
  expect(jobs[0]).toMatchObject({
    state: 'SKIPPING',
    reason: expect.stringContaining('vidimus-1'),
    instance: 'vidimus-1',
    nextRunAt: null,
  });
  const { runJob } = (await runner.run(RUN, { name: 'preview_cleanup' })).data;
  expect(runJob.userErrors).toMatchObject([{ code: 'CONFLICT' }]);
  await service.remove();
});
