import type { BatchLookup } from '../context.js';
import type { JobRun as CoreJobRun } from '../../core/job-runner/job-run.js';
import type { RunFilter } from '../../core/job-runner/job-run-store.js';
import { firstPagesOf } from '../common/first-pages.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { toJobRun } from './job-run.type.js';
import { toJob, type Job } from './job.type.js';

export const jobByName: BatchLookup<string, Job> = async (names, { services }) => {
  const statuses = await services.jobs.registry.list(names);
  const jobs = new Map(statuses.map((status) => [status.definition.name, toJob(status)]));
  return names.map((name) => jobs.get(name) ?? null);
};

/** Runs by row number, as text. */
export const jobRunByKey = loadRows(async (ids, { services: { jobs } }) => {
  await jobs.runner.closeDead();
  return jobs.runs.find(ids);
}, toJobRun);

export const firstRuns = firstPagesOf<RunFilter, CoreJobRun>((filters, size, { services }) =>
  services.jobs.runList.firstPages(filters, size),
);

export const JOB_LOADER: NodeLoader = { typeName: 'Job', requires: 'viewer', load: jobByName };

export const JOB_RUN_LOADER: NodeLoader = { typeName: 'JobRun', requires: 'viewer', load: jobRunByKey };
