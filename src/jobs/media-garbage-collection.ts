import { HOUR_MS, MINUTE_MS } from '../core/base/clock.js';
import type { MediaSweep } from '../core/preview/cleanup/media-garbage-collector.js';
import { mediaJob } from './media-job.js';
import type { MediaJobOptions, ScheduledJob } from './media-job.js';

/** Strays come from crashes, so once at start is what matters. */
const INTERVAL_MS = 6 * HOUR_MS;
/** A sweep that was kept out, as by the lease of a process that has died, or that failed, is tried again. */
const RETRY_MS = MINUTE_MS;

/** The sweep of media, to be triggered at start and then rarely. */
export function mediaSweepJob(sweep: MediaSweep, options: MediaJobOptions): ScheduledJob {
  const { clock } = options;
  let swept: { ts: number; restMs: number } | null = null;
  let failures = 0;
  const job = mediaJob(
    {
      name: 'media_sweep',
      title: 'Compare media with files',
      description:
        'Removes files that no row knows, as a crash leaves them, and marks rows whose file is lost, so that ' +
        'nobody is sent there. Leaves every file that a row names alone.',
      everyMs: INTERVAL_MS,
      start: (actor) => sweep.start(clock.now(), actor),
    },
    {
      intervalMs: RETRY_MS,
      run: async () => {
        const nowTs = clock.now();
        if (swept !== null && Math.abs(nowTs - swept.ts) < swept.restMs) return;
        const { outcome } = await sweep.runDue(nowTs);
        if (outcome === 'skipped') return;
        failures = outcome === 'failed' ? failures + 1 : 0;
        swept = { ts: nowTs, restMs: failures > 0 ? retryMs(failures) : restMs(sweep.ripeTs, nowTs) };
      },
    },
    options,
  );
  const { nextRunTs } = job.definition;
  const nextSweepTs = (): number | null => {
    const nextTs = nextRunTs();
    return nextTs === null ? null : Math.max(nextTs, swept === null ? 0 : swept.ts + swept.restMs);
  };
  return { ...job, definition: { ...job.definition, nextRunTs: nextSweepTs } };
}

/** After a minute first; what fails all the same, as on a disk that is not mounted, is tried ever more rarely. */
function retryMs(failures: number): number {
  return Math.min(INTERVAL_MS, RETRY_MS * 2 ** (failures - 1));
}

/** Strays that were too young are not left for hours: what a crash left is gone as soon as that is certain. */
function restMs(ripeTs: number | null, nowTs: number): number {
  return ripeTs === null ? INTERVAL_MS : Math.min(INTERVAL_MS, Math.max(RETRY_MS, ripeTs - nowTs));
}
