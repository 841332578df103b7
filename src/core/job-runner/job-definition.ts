import type { StartedRun } from './job-runner.js';

/** A kind of work operators see on the page of jobs. */
export interface JobDefinition {
  name: string;
  title: string;
  /** What it does, what it leaves alone, and what pausing it means. */
  description: string;
  /** `null` for work that is only done on demand. */
  everyMs: number | null;
  /** The only instance that runs it; `null`: any does. */
  designatedInstance: string | null;
  /** When this instance runs it next; `null` when it does not. */
  nextRunTs: () => number | null;
  /** Starts a run for an operator; `null` for work that needs to be told on what. */
  start: ((actor: string) => Promise<StartedRun>) | null;
}

/** Work on a selection of rows, begun from the pages that show them. */
export function selectionJob(of: Pick<JobDefinition, 'name' | 'title' | 'description'>): JobDefinition {
  return { ...of, everyMs: null, designatedInstance: null, nextRunTs: () => null, start: null };
}
