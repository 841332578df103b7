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

/** First pages by the JSON of `FirstRuns`. */
export const firstRuns: BatchLookup<string, Page<CoreJobRun>> = async (keys, { services }) => {
  // Only the resolver of the field makes these keys.
  const wanted = keys.map((key) => JSON.parse(key) as FirstRuns);
  const shapes = new Map(
    wanted.map(({ size, outcome }) => [JSON.stringify([size, outcome]), { size, outcome }]),
  );
  const pages = new Map<string, Page<CoreJobRun>>();
  for (const shape of shapes.values()) {
    const jobs = wanted.filter((one) => one.size === shape.size && one.outcome === shape.outcome);
    const found = await services.jobs.runList.firstPages(
      jobs.map(({ job }) => job),
      shape,
    );
    for (const [job, page] of found) pages.set(JSON.stringify({ job, ...shape }), page);
  }
  return keys.map((key) => pages.get(key) ?? null);
};

export const JOB_LOADER: NodeLoader = { typeName: 'Job', requires: 'viewer', load: jobByName };

export const JOB_RUN_LOADER: NodeLoader = { typeName: 'JobRun', requires: 'viewer', load: jobRunByKey };
