import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import type { LatestRuns } from '../../../job-runner/latest-runs.js';
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

/** Whether background work is done. */
export function jobCheck({ latest, pausedJobs, cleanup, cleaner, clock }: JobSources): Check {
  const check: Check['check'] = async () => {
    if (cleaner !== undefined && !(await cleaner.isAlive()))
      return failed(
        `No instance cleans up: ${cleaner.name} has not been seen lately.`,
        'Start that instance.',
        HREF,
      );
    const ended = latest.ended();
    const broken = [...ended].filter(([, { outcome }]) => outcome === 'failed');
    const [first, report] = broken[0] ?? [];
    if (first !== undefined) {
      const judge = first === cleanup.job ? failed : warning;
      const reason = report?.reason ?? 'unknown reason';
      return judge(
        `The last run of ${broken.map(([job]) => job).join(', ')} failed: ${reason}.`,
        'Search the log for the job.',
        HREF,
      );
    }
    const paused = await pausedJobs();
    if (paused.length > 0) return warning(`Paused: ${paused.join(', ')}.`, 'Resume it on its page.', HREF);
    if (ended.size === 0) return unproved('No job has run yet since the start.', HREF);
    const dueTs =
      (latest.last(cleanup.job)?.startedTs ?? Infinity) + Math.max(6 * cleanup.intervalMs, MINUTE_MS);
    if (cleaner === undefined && clock.now() > dueTs)
      return warning('The cleanup has not run for minutes.', 'Search the log for preview_cleanup.', HREF);
    return ok('The last run of every job was successful.', HREF);
  };
  return { id: 'jobs', title: 'Jobs', how: 'the last run of each', check };
}
