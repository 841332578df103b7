import type { Config } from '../config/schema.js';
import type { JobPauseStore } from '../core/job-runner/job-pause-store.js';
import type { JobServices } from '../core/job-runner/job-services.js';
import { ClockWatch } from '../core/preview/cleanup/clock-watch.js';
import { diskSpaceCheck } from '../core/operators/health/checks/disk-space.js';
import { objectStorageCheck } from '../core/operators/health/checks/object-storage.js';
import type { Limit } from '../core/operators/health/checks/limits.js';
import type { Check } from '../core/operators/health/health-check.js';
import { ExpiredStore } from '../core/preview/cleanup/expired-store.js';
import {
  MediaGarbageCollector,
  type MediaGarbageCollectorOptions,
} from '../core/preview/cleanup/media-garbage-collector.js';
import { PreviewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { GarbageCollectionStore } from '../core/preview/cleanup/garbage-collection-store.js';
import type { MediaStorage } from '../core/preview/media/storage/media-storage.js';
import { FreeSpace, type DiskState } from '../core/preview/media/storage/free-space.js';
import { MediaWork } from '../core/preview/media/storage/media-work.js';
import { MediaFiles } from '../core/preview/media/media-files.js';
import { MediaListing } from '../core/preview/media/media-listing.js';
import { MediaReader } from '../core/preview/media/media-reader.js';
import { MediaRowStore } from '../core/preview/media/media-row-store.js';
import { MediaStore } from '../core/preview/media/media-store.js';
import { ThumbnailMaking } from '../core/preview/media/thumbnail-making.js';
import { BlacklistHitStore } from '../core/preview/pipeline/blacklist-hit-store.js';
import { failureLifetimeMs } from '../core/preview/pipeline/failure-lifetime.js';
import { PreviewBounds, type PreviewBoundsOptions } from '../core/preview/pipeline/preview-bounds.js';
import { PreviewForgetting } from '../core/preview/pipeline/preview-forgetting.js';
import { PreviewCache } from '../core/preview/pipeline/preview-cache.js';
import { createPreviewWorker, type PreviewWorker } from '../core/preview/pipeline/preview-worker.js';
import type { MediaJobOptions } from '../jobs/media-job.js';
import { mediaGarbageCollectionJob } from '../jobs/media-garbage-collection.js';
import { previewCleanupJob } from '../jobs/preview-cleanup.js';
import { checkAtStart } from './media/check-media-storage.js';
import { createMediaStorage, type ChosenStorage } from './media/media-storage.js';
import { createRequestPolicies, liveRequestPolicies } from './request-policies.js';
import type { Instances } from './instances/instances.js';
import { feature, type ContextParts } from './parts.js';
import { countUpTo } from '../core/store/lists/count-up-to.js';
import { sql } from '../core/store/sql/sql.js';

const MAX_COUNTED_FILES = 5000;

/** Stored previews with their media, and what is needed to make more of them; alive while the store is open. */
export type PreviewServices = ReturnType<typeof createPreviews>;

export interface PreviewNeighbours extends Pick<JobServices, 'runner' | 'pauses'> {
  instances: Instances;
}

/** Builds it over an open and migrated store. */
export function createPreviews(config: Config, parts: ContextParts, made: PreviewNeighbours) {
  const bounds = createBounds(parts);
  const worker = createWorker(parts, bounds);
  const media = createMediaParts(config, parts, { bounds, ...createMediaStorage(config, parts, worker) });
  const hits = new BlacklistHitStore(parts.database, parts.logger);
  const requestPolicies = createRequestPolicies(config, parts);
  const memory = createMemory(config, parts, made.instances);
  const cleaning = { runner: made.runner, ...memory, ...media };
  const cleaners = createCleanup(config, parts, cleaning);
  const jobOptions = mediaJobOptions(config, parts, made.pauses);
  const collecting = mediaGarbageCollectionJob(cleaners.collector, jobOptions);
  return feature(
    {
      hits,
      media,
      ...cleaners,
      requestPolicies,
      worker,
      bounds,
      ...memory,
    },
    {
      jobs: [previewCleanupJob(cleaners.cleanup, jobOptions), collecting],
      liveSettings: liveRequestPolicies(requestPolicies),
      healthChecks: [storageCheck(config, parts, media)],
      limits: [queueLimit(bounds)],
      start: () => {
        void checkAtStart(media.objects, parts.logger);
      },
      close: () => closeAll({ hits, media, worker }),
    },
  );
}

function createBounds({ clock, logger, metrics }: ContextParts): PreviewBounds {
  const onBound: PreviewBoundsOptions['onBound'] = (work, bound) =>
    metrics.previewBounds.inc({ work, bound });
  return new PreviewBounds({ clock, logger, onBound });
}

function createWorker(parts: ContextParts, bounds: PreviewBounds): PreviewWorker {
  const worker = createPreviewWorker({ ...parts, onLimit: bounds.noteFor('page') });
  parts.metrics.observePreviewWork('page', () => worker.readingLoad());
  return worker;
}

interface Closable {
  hits: BlacklistHitStore;
  media: ReturnType<typeof createMediaParts>;
  worker: ReturnType<typeof createWorker>;
}

/** What ends with the previews, in order. */
async function closeAll({ hits, media, worker }: Closable): Promise<void> {
  await hits.flush();
  await Promise.all([media.making.close(), worker.close()]);
  await media.objects?.close();
}

/** Having to wait is everyday work; a full queue refuses previews. */
function queueLimit({ reached }: Pick<PreviewBounds, 'reached'>): Limit {
  return { title: 'Preview queue', bounds: reached, isHarmless: (bound) => !bound.endsWith('_waiting') };
}

/** The health check of where media is kept. */
function storageCheck(
  { media: { min_free_space: minFreeBytes }, media_store_path: folder }: Config,
  { database }: ContextParts,
  { objects }: Pick<ChosenStorage, 'objects'>,
): Check {
  if (objects !== null)
    return objectStorageCheck({ ...objects, clockOffsetMs: () => objects.clockOffsetMs() });
  const missing = { table: 'media', where: sql`missing_since_ts IS NOT NULL` };
  const missingFiles = () => countUpTo(database, missing, MAX_COUNTED_FILES);
  return diskSpaceCheck({ folder, minFreeBytes, missingFiles });
}

function mediaJobOptions(
  config: Config,
  { clock, logger }: ContextParts,
  pauses: JobPauseStore,
): MediaJobOptions {
  const designatedInstance = config.media_instance_running_background_jobs;
  return { clock, logger, pauses, designatedInstance, instance: config.jobs.instance };
}

/** What this instance remembers, and has in common with others. */
function createMemory({ previews }: Config, { clock }: ContextParts, { messages }: Instances) {
  const cache = new PreviewCache({
    clock,
    maxBytes: previews.memory_cache_size,
    failureLifetimeMs: (error) => failureLifetimeMs(error, previews.transient_failure_lifetime),
  });
  return {
    cache,
    forgetting: new PreviewForgetting(cache, messages),
  };
}

/** Media in its storage and in the database. */
function createMediaParts(
  config: Config,
  { clock, logger, database, metrics }: Pick<ContextParts, 'clock' | 'logger' | 'database' | 'metrics'>,
  { bounds, processor, ...stored }: ChosenStorage & { bounds: PreviewBounds },
) {
  const files = new MediaFiles(stored.storage);
  const rows = new MediaRowStore(database);
  const work = new MediaWork({
    processor,
    sizes: config.thumbnail_sizes,
    maxPixels: config.max_image_pixels,
    blurhash: config.previews.blurhash,
    logger,
    onLimit: bounds.noteFor('picture'),
    onKeepLimit: bounds.noteFor('file'),
  });
  metrics.observePreviewWork('picture', () => work.load);
  metrics.observePreviewWork('file', () => work.keepLoad);
  const making = new ThumbnailMaking({
    files,
    rows,
    work,
    logger,
    maxPending: config.previews.max_pending_thumbnails,
  });
  const shared = { files, rows, making, clock, logger };
  return {
    ...stored,
    files,
    making,
    store: new MediaStore({ work, space: freeSpace(config, { metrics, logger }), ...shared }),
    reader: new MediaReader({ sizes: config.thumbnail_sizes, dynamic: config.dynamic_thumbnails, ...shared }),
  };
}

/** Space of object storage is its keeper's care. */
function freeSpace(
  { media, media_store_path: folder }: Config,
  { metrics, logger }: Pick<ContextParts, 'metrics' | 'logger'>,
): FreeSpace | undefined {
  if (media.storage !== 'disk') return undefined;
  const onRefused = (state: DiskState): void => {
    metrics.previewBounds.inc({ work: 'disk', bound: 'total' });
    logger.error(
      { reason: 'disk_full', ...state },
      'less than media.min_free_space would be left on the disk of media_store_path',
    );
  };
  return new FreeSpace({ folder, minBytes: media.min_free_space, onRefused });
}

/** Builds cleanup (SPEC §4.8) and garbage collection; the same functions serve jobs and operators. */
function createCleanup(
  config: Config,
  { logger, database }: ContextParts,
  made: Pick<MediaGarbageCollectorOptions, 'files' | 'runner'> & {
    storage: MediaStorage;
    forgetting: PreviewForgetting;
  },
): { cleanup: PreviewCleanup; collector: MediaGarbageCollector } {
  const { files, runner, forgetting } = made;
  return {
    cleanup: new PreviewCleanup({
      expired: new ExpiredStore(database),
      files,
      runner,
      clockWatch: new ClockWatch(),
      forgetMemory: () => forgetting.forgetAll({ failedOnly: false }),
      // Services exist only over a migrated store.
      isReady: () => true,
      mediaRetentionMs: config.previews.media_retention,
      hitRetentionMs: config.previews.blacklist_hit_retention,
      logger,
    }),
    collector: new MediaGarbageCollector({
      store: new GarbageCollectionStore(database),
      files,
      listing: new MediaListing(made.storage),
      runner,
      logger,
    }),
  };
}
