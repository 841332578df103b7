import type { JobServices } from '../core/job-runner/job-registry.js';
import { diskSpaceCheck } from '../core/operators/health/checks/disk-space.js';
import { objectStorageCheck } from '../core/operators/health/checks/object-storage.js';
import type { Check } from '../core/operators/health/health.js';
import { PREVIEW_LIMITS } from '../core/operators/health/limit-settings.js';
import { MediaGarbageCollector } from '../core/preview/cleanup/media-garbage-collector.js';
import { MediaRemoval, PreviewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { MediaReader } from '../core/preview/media/media-reader.js';
import { MediaRowStore, MediaStore } from '../core/preview/media/media-store.js';
import type { MediaStorage } from '../core/preview/media/storage/media-storage.js';
import { DiskStorage } from '../core/preview/media/storage/disk-storage.js';
import { S3Storage } from '../core/preview/media/storage/s3-storage.js';
import { ThumbnailMaking } from '../core/preview/media/thumbnail-making.js';
import { BlacklistHitStore } from '../core/preview/pipeline/blacklist-hits.js';
import { failureLifetimeMs } from '../core/preview/build/job.js';
import { PreviewBounds } from '../core/preview/pipeline/preview-bounds.js';
import { PreviewCache, PreviewForgetting } from '../core/preview/pipeline/preview-cache.js';
import { PreviewWorker } from '../core/preview/preview-worker.js';
import { DAY_MS } from '../core/base/clock.js';
import {
  mediaGarbageCollectionJob,
  previewCleanupJob,
  pruneRefusedUrlsJob,
  type ScheduledJob,
} from '../jobs/jobs.js';
import type { Instances } from './instances.js';
import { createObjectStorage, type ObjectStorage } from './media/object-storage.js';
import { feature } from './features.js';
import { createResolver, previewRangesOf, type ContextParts } from './parts.js';
import type { Config } from '../config/schema.js';
import { AddressPolicy } from '../core/net/address/address-policy.js';
import { RateLimit, type RateLimitSettings } from '../core/base/limits/rate-limit.js';
import { UrlRules } from '../core/preview/rules/url-rules.js';

const MAX_COUNTED_FILES = 5000;
/** How long operators see which addresses were refused. */
const HIT_RETENTION_MS = 30 * DAY_MS;
/** Images whose thumbnails wait to be made after the answer; those of further images are made when requested. */
const MAX_PENDING_THUMBNAILS = 64;

/** Stored previews with their media, and what is needed to make more of them; alive while the store is open. */
export type PreviewServices = ReturnType<typeof createPreviews>;

export interface PreviewNeighbours extends Pick<JobServices, 'runner' | 'jobStore'> {
  instances: Instances;
}

export function createPreviews(parts: ContextParts, made: PreviewNeighbours) {
  const { config, database, clock, logger, metrics } = parts;
  const bounds = new PreviewBounds({
    clock,
    logger,
    onBound: (work, bound) => metrics.previewBounds.inc({ work, bound }),
  });
  const worker = new PreviewWorker({ logger, onLimit: bounds.noteFor('page') });
  metrics.observePreviewWork('page', () => worker.readingLoad);
  const media = createMediaParts(parts, { bounds, worker });
  const hits = new BlacklistHitStore(database, clock, logger);
  const requestPolicies = createRequestPolicies(parts);
  const maxBytes = config.previews.memory_cache_size;
  const cache = new PreviewCache({ clock, maxBytes, failureLifetimeMs });
  const forgetting = new PreviewForgetting(cache, made.instances.messages);
  const { jobs, ...cleaners } = createCleaners(parts, { ...made, ...media });
  const prune = (beforeTs: number, limit: number) => hits.prune(beforeTs, limit);
  return feature(
    { hits, media, requestPolicies, worker, bounds, cache, forgetting, ...cleaners },
    {
      jobs: [...jobs, pruneRefusedUrlsJob(HIT_RETENTION_MS, prune, { ...made, clock, logger })],
      apply: ({ config: now }) => requestPolicies.rateLimit.replace(rateLimitOf(now)),
      healthChecks: [storageCheck(parts, media)],
      limits: [
        {
          title: 'Preview queue',
          bounds: bounds.reached,
          settings: PREVIEW_LIMITS,
          // Having to wait is everyday work; a full queue refuses previews.
          isHarmless: (bound) => !bound.endsWith('_waiting'),
        },
      ],
      close: async () => {
        await hits.flush();
        await Promise.all([media.making.close(), worker.close()]);
        media.objects?.close();
      },
    },
  );
}

function createCleaners(
  parts: ContextParts,
  made: PreviewNeighbours & { removal: MediaRemoval; storage: MediaStorage },
): { cleanup: PreviewCleanup; collector: MediaGarbageCollector; jobs: ScheduledJob[] } {
  const { config, database, clock, logger } = parts;
  const { removal, storage, instances } = made;
  const cleanup = new PreviewCleanup({
    database,
    removal,
    mediaRetentionMs: config.previews.media_retention,
  });
  const collector = new MediaGarbageCollector({ database, storage, logger });
  const jobParts = { ...made, clock, logger };
  const jobs = [
    previewCleanupJob(cleanup, jobParts, instances),
    mediaGarbageCollectionJob(collector, jobParts, instances),
  ];
  return { cleanup, collector, jobs };
}

function storageCheck(
  {
    config: {
      media: { min_free_space: minFreeBytes },
      media_store_path: folder,
    },
    database,
  }: ContextParts,
  { objects }: { objects: ObjectStorage | null },
): Check {
  if (objects !== null) return objectStorageCheck(objects);
  const missingFiles = () =>
    database.client.media.count({
      where: { missingSinceTs: { not: null } },
      orderBy: { missingSinceTs: 'asc' },
      take: MAX_COUNTED_FILES,
    });
  return diskSpaceCheck({ folder, minFreeBytes, missingFiles });
}

function createMediaParts(
  parts: ContextParts,
  { bounds, worker }: { bounds: PreviewBounds; worker: PreviewWorker },
) {
  const { config, clock, logger, database, metrics } = parts;
  const objects = config.media.storage === 'disk' ? null : createObjectStorage(parts);
  const storage = objects === null ? createDiskStorage(parts, worker) : new S3Storage(objects, worker);
  const rows = new MediaRowStore(database);
  const { thumbnail_sizes: sizes, max_image_pixels: maxPixels } = config;
  const shared = { storage, rows, maxPixels, clock, logger };
  const making = new ThumbnailMaking({
    ...shared,
    sizes,
    maxPending: MAX_PENDING_THUMBNAILS,
    onLimit: bounds.noteFor('picture'),
  });
  const store = new MediaStore({ ...shared, making, onLimit: bounds.noteFor('file') });
  metrics.observePreviewWork('picture', () => making.load);
  metrics.observePreviewWork('file', () => store.load);
  return {
    objects,
    storage,
    making,
    store,
    reader: new MediaReader({
      storage,
      rows,
      making,
      sizes,
      dynamic: config.dynamic_thumbnails,
      clock,
      logger,
    }),
    removal: new MediaRemoval({ database, storage, clock, logger }),
  };
}

function createDiskStorage(
  {
    config: {
      media: { min_free_space: minFreeBytes },
      media_store_path: folder,
    },
    metrics,
    logger,
  }: ContextParts,
  inspector: PreviewWorker,
): DiskStorage {
  const onRefused = (freeBytes: number): void => {
    metrics.previewBounds.inc({ work: 'disk', bound: 'total' });
    logger.error(
      { reason: 'disk_full', media_store_path: folder, free_bytes: freeBytes, min_free_space: minFreeBytes },
      'less than media.min_free_space would be left on the disk of media_store_path',
    );
  };
  return new DiskStorage({ folder, inspector, minFreeBytes, onRefused });
}

/** What refuses addresses and users; it takes new settings while the service runs. */
export type RequestPolicies = ReturnType<typeof createRequestPolicies>;

/** Builds them as the configuration says; `resolver` finds the names that previews connect to. */
function createRequestPolicies(parts: Pick<ContextParts, 'config' | 'clock' | 'lookups'>) {
  const { config, clock } = parts;
  return {
    rules: new UrlRules(config.url_preview_url_blacklist, config.url_preview_url_whitelist),
    policy: new AddressPolicy(previewRangesOf(config)),
    resolver: createResolver(parts, config.previews.dns_timeout),
    rateLimit: new RateLimit(rateLimitOf(config), {
      clock,
      refusal: 'Too many previews',
      bound: 'previews',
    }),
  };
}

/** How many previews a user may ask for. */
function rateLimitOf({ previews: { rate_limit: limit } }: Config): RateLimitSettings {
  return { burst: limit.burst, intervalMs: limit.interval };
}
