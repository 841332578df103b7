import { hostname } from 'node:os';

import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import { ON_DEMAND_JOBS } from '../core/job-runner/job-definition.js';
import type { JobDefinition } from '../core/job-runner/job-definition.js';
import { JobLeaseStore } from '../core/job-runner/job-lease-store.js';
import { JobPauseStore } from '../core/job-runner/job-pause-store.js';
import { JobRegistry } from '../core/job-runner/job-registry.js';
import { JobRunList } from '../core/job-runner/job-run-list.js';
import { JobRunStore } from '../core/job-runner/job-run-store.js';
import type { RunReport } from '../core/job-runner/job-run.js';
import { JobRunner } from '../core/job-runner/job-runner.js';
import type { JobRunnerOptions } from '../core/job-runner/job-runner.js';
import type { Metrics } from '../core/base/metrics.js';

/** What runs jobs and remembers their runs, alive while the store is open. */
export interface JobServices {
  runner: JobRunner;
  runs: JobRunStore;
  runList: JobRunList;
  pauses: JobPauseStore;
  /** Name of this instance, as runs carry it. */
  instance: string;
}

/** Instance name of runs that a command makes in its own process. */
const COMMAND_INSTANCE = 'command line';

/** Builds the runner of a serving process; what a dead process has left behind is closed. */
export async function createJobServices(config: Config, parts: ContextParts): Promise<JobServices> {
  const { metrics } = parts;
  const services = jobServices(parts, config.jobs.instance ?? hostname(), (job, report) =>
    countRun(metrics, job, report),
  );
  const isOnlyServer = config.database.engine === 'sqlite';
  // A server alone on its database has no living colleagues but commands.
  if (isOnlyServer) await services.runner.takeOver(COMMAND_INSTANCE);
  else await services.runner.closeDead();
  return services;
}

/** Builds the runner of a command, beside a server that may be running. */
export function createCommandJobServices(
  parts: Pick<ContextParts, 'database' | 'clock' | 'logger'>,
): JobServices {
  return jobServices(parts, COMMAND_INSTANCE);
}

/** All jobs that operators know: those of the services, and work on demand. */
export function createJobRegistry(jobs: JobServices, definitions: readonly JobDefinition[]): JobRegistry {
  return new JobRegistry({ ...jobs, definitions: [...definitions, ...ON_DEMAND_JOBS] });
}

function countRun({ jobRuns, jobWork }: Metrics, job: string, { outcome, counts }: RunReport): void {
  jobRuns.inc({ job, outcome });
  for (const [kind, count] of Object.entries(counts)) if (count > 0) jobWork.inc({ job, kind }, count);
}

function jobServices(
  { database, clock, logger }: Pick<ContextParts, 'database' | 'clock' | 'logger'>,
  instance: string,
  onFinished?: JobRunnerOptions['onFinished'],
): JobServices {
  const runs = new JobRunStore(database);
  const leases = new JobLeaseStore(database, clock);
  return {
    runs,
    runList: new JobRunList(database, runs),
    instance,
    pauses: new JobPauseStore(database, clock),
    runner: new JobRunner({
      store: runs,
      leases,
      clock,
      logger,
      instance,
      ...(onFinished && { onFinished }),
    }),
  };
}
