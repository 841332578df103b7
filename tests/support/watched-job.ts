import { SECOND_MS } from '../../src/core/base/clock.js';
import type { RunReport } from '../../src/core/job-runner/job-run.js';
import type { WatchedJob } from '../../src/core/operators/overview/health/job-checks.js';

/** A job every 10 s whose latest run ended so, and when one of this process last ended well, POSIX ms. */
export function watchedJob(
  last: Pick<RunReport, 'outcome' | 'reason'> | null,
  lastOkTs: number | null = null,
): WatchedJob {
  const report = { counts: {}, bytes: 0, startedTs: 0, durationMs: 0 };
  const runs = { job: 'watched', last: last === null ? null : { ...report, ...last }, lastOkTs };
  return { runs, intervalMs: 10 * SECOND_MS };
}
