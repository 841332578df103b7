import { HOUR_MS, MINUTE_MS } from '../core/base/clock.js';
import type { MediaGarbageCollector } from '../core/preview/cleanup/media-garbage-collector.js';
import { mediaJob, type MediaJobOptions } from './media-job.js';
import type { ScheduledJob } from './scheduled-job.js';

/** Orphans come from crashes, so once at start is what matters. */
const MEDIA_COLLECTION_INTERVAL_MS = 6 * HOUR_MS;
/** A collection that failed, or that a lease kept out (that of a dead process, say), is tried again. */
const RETRY_MS = MINUTE_MS;

/** A collection that ended, and how long none is needed. */
interface Collected {
  ts: number;
  restMs: number;
}

/** The garbage collection of media, to be triggered at start and then rarely. */
export function mediaGarbageCollectionJob(
  collector: MediaGarbageCollector,
  options: MediaJobOptions,
): ScheduledJob {
  const { clock } = options;
  let collected: Collected | null = null;
  let failures = 0;
  const job = mediaJob(
    {
      title: 'Compare media with files',
      description:
        'Removes files that no row knows, as a crash leaves them, and marks rows whose file is lost, so that ' +
        'nobody is sent there. Leaves every file that a row names alone.',
      everyMs: MEDIA_COLLECTION_INTERVAL_MS,
    },
    {
      runs: collector.runs,
      intervalMs: RETRY_MS,
      run: async () => {
        const nowTs = clock.now();
        if (collected !== null && Math.abs(nowTs - collected.ts) < collected.restMs) return;
        const { outcome } = await collector.runs.runDue(nowTs);
        if (outcome === 'skipped') return;
        failures = outcome === 'failed' ? failures + 1 : 0;
        collected = {
          ts: nowTs,
          restMs: failures > 0 ? retryMs(failures) : restMs(collector.eligibleTs, nowTs),
        };
      },
    },
    options,
  );
  const { nextRunTs } = job.definition;
  const nextCollectionTs = () => laterOf(nextRunTs(), collected);
  return { ...job, definition: { ...job.definition, nextRunTs: nextCollectionTs } };
}

/** The timer looks every minute, mostly in vain. */
function laterOf(lookTs: number | null, collected: Collected | null): number | null {
  if (lookTs === null || collected === null) return lookTs;
  return Math.max(lookTs, collected.ts + collected.restMs);
}

/** After a minute first; what fails all the same, as on a disk that is not mounted, is tried ever more rarely. */
function retryMs(failures: number): number {
  return Math.min(MEDIA_COLLECTION_INTERVAL_MS, RETRY_MS * 2 ** (failures - 1));
}

/** Orphans that were too recent are not left for hours: what a crash left is gone as soon as that is certain. */
function restMs(eligibleTs: number | null, nowTs: number): number {
  return eligibleTs === null
    ? MEDIA_COLLECTION_INTERVAL_MS
    : Math.min(MEDIA_COLLECTION_INTERVAL_MS, Math.max(RETRY_MS, eligibleTs - nowTs));
}
