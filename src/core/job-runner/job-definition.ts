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
export const ON_DEMAND_JOBS: readonly JobDefinition[] = [
  onDemand(
    'delete_previews',
    'Delete previews',
    'Deletes the previews an operator selected, with their stored pages and, when asked to, their images. ' +
      'Leaves everything else alone; what is asked for again is fetched again.',
  ),
  onDemand(
    'delete_media',
    'Delete media',
    'Deletes the media an operator selected, with its thumbnails. ' +
      'Previews that use it are forgotten: the next request makes them anew.',
  ),
  onDemand(
    'refresh_previews',
    'Refresh previews',
    'Fetches the previews an operator selected again, under the same rules as for clients. ' +
      'Clients that remember an old answer keep showing it.',
  ),
];

function onDemand(name: string, title: string, description: string): JobDefinition {
  return {
    name,
    title,
    description,
    everyMs: null,
    designatedInstance: null,
    nextRunTs: () => null,
    start: null,
  };
}
