import type { BatchLookup } from '../context.js';
import type { Page } from '../../core/store/lists/keyset-page.js';
import type { JobRun as CoreJobRun, RunOutcome } from '../../core/job-runner/job-run.js';
import { rowOfKey } from '../nodes/node-id.js';
import type { NodeLoader } from '../nodes/node-loader.js';
import type { JobRun } from './job-run.type.js';
import { toJobRun } from './job-run.type.js';
import { toJob } from './job.type.js';
import type { Job } from './job.type.js';

/** Jobs by name. */
export const jobByName: BatchLookup<string, Job> = async (names, { services }) => {
  const statuses = await services.jobs.registry.list(names);
  const jobs = new Map(statuses.map((status) => [status.definition.name, toJob(status)]));
  return names.map((name) => jobs.get(name) ?? null);
};

/** Runs by row number, as text. */
export const jobRunByKey: BatchLookup<string, JobRun> = async (keys, { services }) => {
  await services.jobs.runner.closeDead();
  const ids = keys.map((key) => rowOfKey(key) ?? 0);
  const runs = await services.jobs.runs.find([...new Set(ids)]);
  const byId = new Map(runs.map((run) => [run.id, toJobRun(run)]));
  return ids.map((id) => byId.get(id) ?? null);
};

/** What the first page of a job's runs is asked for with. */
export interface FirstRuns {
  job: string;
  size: number;
  outcome: RunOutcome | null;
}

/** First pages, of each size and outcome together. */
export const firstRuns: BatchLookup<FirstRuns, Page<CoreJobRun>> = async (wanted, { services }) => {
  const found = new Map<FirstRuns, Page<CoreJobRun>>();
  for (const { size, outcome } of wanted) {
    const same = wanted.filter((one) => one.size === size && one.outcome === outcome && !found.has(one));
    if (same.length === 0) continue;
    const jobs = same.map(({ job }) => job);
    const pages = await services.jobs.runList.firstPagesOf(jobs, { size, outcome });
    for (const one of same) {
      const page = pages.get(one.job);
      if (page !== undefined) found.set(one, page);
    }
  }
  return wanted.map((one) => found.get(one) ?? null);
};

export const JOB_LOADER: NodeLoader = { typeName: 'Job', requires: 'viewer', load: jobByName };

export const JOB_RUN_LOADER: NodeLoader = { typeName: 'JobRun', requires: 'viewer', load: jobRunByKey };
