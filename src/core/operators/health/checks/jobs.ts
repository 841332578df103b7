import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import type { LatestRuns } from '../../../job-runner/job-runner.js';
import { failed, ok, unproved, warning, type Check } from '../health.js';

export interface JobSources {
  latest: LatestRuns;
  /** Names of the paused ones. */
  pausedJobs: () => Promise<readonly string[]>;
  /** Name and interval of the cleanup. */
  cleanup: { job: string; intervalMs: number };
  /** An instance that does the cleanup in our place; absent: none. `isAlive`: seen within three minutes. */
  cleaner?: { name: string; isAlive: () => Promise<boolean> };
  clock: Clock;
}

const HREF = '/jobs';
const SEARCH = 'Search the log for the job.';

/** Whether background work is done. */
export function jobCheck({ latest, pausedJobs, cleanup, cleaner, clock }: JobSources): Check {
  const check: Check['check'] = async () => {
    if (cleaner !== undefined && !(await cleaner.isAlive()))
      return failed(`No instance cleans up: ${cleaner.name} is gone.`, 'Start that instance.', HREF);
    const broken = [...latest.ended].filter(([, { outcome }]) => outcome === 'failed');
    const [job, report] = broken.find(([name]) => name === cleanup.job) ?? broken[0] ?? [];
    const message = `The last run of ${job} failed: ${report?.reason ?? 'unknown reason'}.`;
    if (job !== undefined) return (job === cleanup.job ? failed : warning)(message, SEARCH, HREF);
    const paused = await pausedJobs();
    if (paused.length > 0) return warning(`Paused: ${paused.join(', ')}.`, 'Resume it on its page.', HREF);
    const last = latest.last.get(cleanup.job);
    const dueTs = (last?.startedTs ?? Infinity) + Math.max(6 * cleanup.intervalMs, MINUTE_MS);
    if (cleaner === undefined && clock.now() > dueTs)
      return warning('The cleanup has not run for minutes.', SEARCH, HREF);
    if (latest.ended.size === 0) return unproved('No job has run yet since the start.', HREF);
    return ok('The last run of every job was successful.', HREF);
  };
  return { id: 'jobs', title: 'Jobs', how: 'the last run of each', check };
}
