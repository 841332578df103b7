import { HOUR_MS, MINUTE_MS } from '../core/clock.js';
import type { MediaSweep } from '../core/cleanup/media-sweep.js';
import { PeriodicJob } from './periodic-job.js';
import { runsHere } from './preview-cleanup.js';
import type { MediaJobOptions } from './preview-cleanup.js';

/** Strays come from crashes, so once at start is what matters. */
const INTERVAL_MS = 6 * HOUR_MS;
/** A sweep that was kept out, as by the lease of a process that has died, is tried again. */
const RETRY_MS = MINUTE_MS;

/** The sweep of media, to be triggered at start and then rarely; `null` when another instance does it. */
export function mediaSweepJob(sweep: MediaSweep, options: MediaJobOptions): PeriodicJob | null {
  if (!runsHere(options)) return null;
  const { clock, logger, signal } = options;
  let sweptTs: number | null = null;
  return new PeriodicJob({
    name: 'media_sweep',
    intervalMs: RETRY_MS,
    logger,
    run: async () => {
      const nowTs = clock.now();
      if (sweptTs !== null && Math.abs(nowTs - sweptTs) < INTERVAL_MS) return;
      const { outcome } = await sweep.run(nowTs, { cause: 'job', signal });
      if (outcome !== 'skipped') sweptTs = nowTs;
    },
  });
}
