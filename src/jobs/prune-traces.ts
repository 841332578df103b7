import type { KeptTraces } from '../core/operators/traces/kept-traces.js';
import { pruningJob, type RunnerJobOptions } from './runner-job.js';
import type { ScheduledJob } from './scheduled-job.js';

export interface PruneTracesOptions extends RunnerJobOptions {
  traces: KeptTraces;
}

/** Deletes kept traces whose time is over, every hour. */
export function pruneTracesJob(options: PruneTracesOptions): ScheduledJob {
  const { traces } = options;
  const about = {
    name: 'prune_traces',
    title: 'Forget old traces',
    description:
      'Deletes tries and diagnoses that nobody shared after an hour, and shared ones after 30 days. Their links end.',
  };
  const prune = (beforeTs: number, limit: number) => traces.prune(beforeTs, limit);
  return pruningJob(about, { retentionMs: 0, countedAs: 'traces', prune }, options);
}
