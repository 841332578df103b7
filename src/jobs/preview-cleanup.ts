import { SECOND_MS } from '../core/clock.js';
import type { Clock } from '../core/clock.js';
import type { PreviewCleanup } from '../core/cleanup/preview-cleanup.js';
import type { Logger } from '../core/logger.js';
import { PeriodicJob } from './periodic-job.js';

/** What media jobs are made with. */
export interface MediaJobOptions {
  clock: Clock;
  logger: Logger;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  /** Setting media_instance_running_background_jobs; `null`: no instance is designated. */
  designatedInstance: string | null;
  /** Setting jobs.instance: our own name. */
  instance: string | null;
}

/** §8. */
const INTERVAL_MS = 10 * SECOND_MS;

/** The cleanup of previews every 10 s (§4.8); `null` when another instance is designated for it. */
export function previewCleanupJob(cleanup: PreviewCleanup, options: MediaJobOptions): PeriodicJob | null {
  if (!runsHere(options)) return null;
  const { clock, logger, signal } = options;
  return new PeriodicJob({
    name: 'preview_cleanup',
    intervalMs: INTERVAL_MS,
    logger,
    run: async () => {
      await cleanup.run(clock.now(), { cause: 'job', signal });
    },
  });
}

/** Whether media jobs run on this instance: on the designated one, or on every one when none is. */
export function runsHere({ designatedInstance, instance }: MediaJobOptions): boolean {
  return designatedInstance === null || designatedInstance === instance;
}
