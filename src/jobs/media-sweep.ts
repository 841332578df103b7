import { HOUR_MS } from '../core/clock.js';
import type { MediaSweep } from '../core/cleanup/media-sweep.js';
import { PeriodicJob } from './periodic-job.js';
import { runsHere } from './preview-cleanup.js';
import type { MediaJobOptions } from './preview-cleanup.js';

/** Strays come from crashes, so once at start is what matters. */
const INTERVAL_MS = 6 * HOUR_MS;

/** The sweep of media, to be triggered at start and then rarely; `null` when another instance does it. */
export function mediaSweepJob(sweep: MediaSweep, options: MediaJobOptions): PeriodicJob | null {
  if (!runsHere(options)) return null;
  const { clock, logger, signal } = options;
  return new PeriodicJob({
    name: 'media_sweep',
    intervalMs: INTERVAL_MS,
    logger,
    run: async () => {
      await sweep.run(clock.now(), { cause: 'job', signal });
    },
  });
}
