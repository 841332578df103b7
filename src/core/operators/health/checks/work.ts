import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import type { ReachedBound } from '../../../base/limits/reached-bounds.js';
import { counted } from '../../../base/text/strings.js';
import type { LatestRuns } from '../../../job-runner/job-runner.js';
import type { MetricName, ReadSeries } from '../../overview/series/metric-store.js';
import { ok, warning, type Check, failed, unproved } from '../health.js';

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

const SEARCH = 'Search the log for the job.';

/** Whether background work is done. */
export function jobCheck({ latest, pausedJobs, cleanup, cleaner, clock }: JobSources): Check {
  const check: Check['check'] = async () => {
    if (cleaner !== undefined && !(await cleaner.isAlive()))
      return failed(`No instance cleans up: ${cleaner.name} is gone.`, 'Start that instance.');
    const broken = [...latest.ended].filter(([, { outcome }]) => outcome === 'failed');
    const [job, report] = broken.find(([name]) => name === cleanup.job) ?? broken[0] ?? [];
    const message = `The last run of ${job} failed: ${report?.reason ?? 'unknown reason'}.`;
    if (job !== undefined) return (job === cleanup.job ? failed : warning)(message, SEARCH);
    const paused = await pausedJobs();
    if (paused.length > 0) return warning(`Paused: ${paused.join(', ')}.`, 'Resume it on its page.');
    const last = latest.last.get(cleanup.job);
    const dueTs = (last?.startedTs ?? Infinity) + Math.max(6 * cleanup.intervalMs, MINUTE_MS);
    if (cleaner === undefined && clock.now() > dueTs)
      return warning('The cleanup has not run for minutes.', SEARCH);
    if (latest.ended.size === 0) return unproved('No job has run yet since the start.');
    return ok('The last run of every job was successful.');
  };
  return { id: 'jobs', title: 'Jobs', how: 'the last run of each', href: '/jobs', check };
}

export interface FailureShareSources extends Pick<Check, 'id' | 'title'> {
  series: ReadSeries;
  attempts: MetricName;
  failures: readonly MetricName[];
  /** The commonest reasons of the failures, one after another. */
  reasons: () => Promise<readonly string[]>;
  /** What is counted, such as `key fetches`. */
  noun: string;
  advice: string;
  href: string;
  failuresHref: string;
}

const WARNING_SHARE = 0.1;
const FAILED_SHARE = 0.5;
/** Fewer attempts are never a failed check: one stranger's typing would raise an alarm. */
const MIN_ATTEMPTS = 10;

/** How many attempts failed in the last hour. */
export function failureShareCheck({ id, title, ...sources }: FailureShareSources): Check {
  const { series, attempts, failures, reasons, noun, advice, href, failuresHref } = sources;
  const check: Check['check'] = async () => {
    const [all, ...bad] = await series([attempts, ...failures], 'hour');
    const failedCount = bad.reduce((sum, { total }) => sum + total, 0);
    const count = Math.max(all?.total ?? 0, failedCount);
    if (count === 0) return unproved(`No ${noun} in the last hour.`);
    const message = `${failedCount} of ${count} ${noun} failed in the last hour`;
    const share = failedCount / count;
    if (share < WARNING_SHARE) return ok(`${message}.`);
    const mostly = (await reasons()).slice(0, 2).join(' and ');
    const judge = share >= FAILED_SHARE && count >= MIN_ATTEMPTS ? failed : warning;
    return {
      ...judge(mostly === '' ? `${message}.` : `${message}, mostly ${mostly}.`, advice),
      href: failuresHref,
    };
  };
  return { id, title, how: 'counted in the last hour', href, check };
}

/** Limits of one kind and how often each was reached. */
export interface Limit {
  /** Such as `Key fetch queue`. */
  title: string;
  bounds: { readonly lately: readonly ReachedBound<string>[] };
  /** Setting of each limit; others have none. */
  settings?: Readonly<Record<string, string>>;
  /** Whether reaching it refuses nobody but the sender anything; absent: it never does. */
  isHarmless?: (bound: string) => boolean;
}

/** Which limits clients and sites reached in the last hour. */
export function limitsCheck(limits: () => readonly Limit[]): Check {
  const sentenceOf = (reached: readonly string[]): string =>
    `Reached in the last hour: ${reached.join('; ')}.`;
  const check: Check['check'] = async () => {
    const reached = limits().flatMap(({ title, bounds, settings = {}, isHarmless = () => false }) =>
      bounds.lately.map(({ bound, times }) => ({
        isHarmless: isHarmless(bound),
        words: `${title}, ${settings[bound] ?? bound}, ${counted(times, 'time')}`,
      })),
    );
    if (reached.length === 0) return ok('No limit was reached in the last hour.');
    const harmful = reached.filter((each) => !each.isHarmless).map(({ words }) => words);
    if (harmful.length === 0) return ok(sentenceOf(reached.map(({ words }) => words)));
    return warning(sentenceOf(harmful), 'The log names one client or domain a minute.');
  };
  return { id: 'limits', title: 'Limits', how: 'counted by this process', href: '/settings', check };
}
