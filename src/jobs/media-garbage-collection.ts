import { HOUR_MS, MINUTE_MS } from '../core/base/clock.js';
import type { MediaGarbageCollector } from '../core/preview/cleanup/media-garbage-collector.js';
import { mediaJob, type MediaJobOptions } from './media-job.js';
import type { ScheduledJob } from './scheduled-job.js';

/** Orphans come from crashes, so once after the start is what matters. */
const MEDIA_COLLECTION_INTERVAL_MS = 6 * HOUR_MS;
/** The start has other work to do. */
const FIRST_MS = 2 * MINUTE_MS;

/** The garbage collection of media, soon after the start and then rarely. */
export function mediaGarbageCollectionJob(
  { runs }: MediaGarbageCollector,
  options: MediaJobOptions,
): ScheduledJob {
  return mediaJob(
    {
      title: 'Compare media with files',
      description:
        'Removes files that no row knows, as a crash leaves them, and marks rows whose file is lost, so that ' +
        'nobody is sent there. Leaves every file that a row names alone.',
      everyMs: MEDIA_COLLECTION_INTERVAL_MS,
    },
    {
      runs,
      intervalMs: MEDIA_COLLECTION_INTERVAL_MS,
      firstMs: FIRST_MS,
      run: async () => {
        await runs.runDue(options.clock.now());
      },
    },
    options,
  );
}
