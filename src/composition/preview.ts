import type { JobServices } from '../core/job-runner/job-registry.js';
import { diskSpaceCheck, objectStorageCheck } from '../core/operators/health/checks/storage.js';
import type { Check } from '../core/operators/health/health.js';
import { PREVIEW_LIMITS } from '../core/operators/health/limit-settings.js';
import { mediaGarbageCollection } from '../core/preview/cleanup/media-garbage-collector.js';
import { MediaRemoval, previewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { MediaReader } from '../core/preview/media/media-reader.js';
import { MediaRowStore, MediaStore } from '../core/preview/media/media-store.js';
import { DiskStorage } from '../core/preview/media/storage/disk-storage.js';
import { S3Storage } from '../core/preview/media/storage/s3-storage.js';
import { ThumbnailMaking } from '../core/preview/media/thumbnail-making.js';
import { BlacklistHitStore } from '../core/preview/pipeline/blacklist-hits.js';
import { failureLifetimeMs } from '../core/preview/build/job.js';
import { PreviewBounds, type PreviewBoundsOptions } from '../core/preview/pipeline/preview-bounds.js';
import { PreviewCache, PreviewForgetting } from '../core/preview/pipeline/preview-cache.js';
import { PreviewWorker } from '../core/preview/preview-worker.js';
import { DAY_MS } from '../core/base/clock.js';
import { mediaGarbageCollectionJob, previewCleanupJob, pruningJob } from '../jobs/jobs.js';
import type { Instances } from './instances.js';
import { createObjectStorage, type ObjectStorage } from './media/object-storage.js';
import { feature } from './features.js';
import { rangesOf, type ContextParts } from './parts.js';
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

export function createPreviews(parts: ContextParts, jobs: JobServices, instances: Instances) {
  const { config, database, clock, logger, metrics } = parts;
  const onBound: PreviewBoundsOptions['onBound'] = (work, bound) =>
    metrics.previewBounds.inc({ work, bound });
  const bounds = new PreviewBounds({ clock, logger, onBound });
  const worker = new PreviewWorker({ logger, onLimit: bounds.noteFor('page') });
  metrics.observePreviewWork('page', () => worker.readingLoad);
  const media = createMedia(parts, { bounds, worker });
  const hits = new BlacklistHitStore(database, clock, logger);
  const requestPolicies = createRequestPolicies(parts);
  const { memory_cache_size: maxBytes, media_retention: mediaRetentionMs } = config.previews;
  const cache = new PreviewCache({ clock, maxBytes, failureLifetimeMs });
  const forgetting = new PreviewForgetting(cache, instances.messages);
  const cleanup = previewCleanup({ database, removal: media.removal, mediaRetentionMs });
  const collector = mediaGarbageCollection({ database, storage: media.storage, logger });
  const prune = (beforeTs: number, limit: number) => hits.prune(beforeTs, limit);
  const jobParts = { ...parts, ...jobs };
  return feature(
    { hits, media, requestPolicies, worker, bounds, cache, forgetting, cleanup, collector },
    {
      jobs: [
        previewCleanupJob(cleanup, jobParts, instances),
        mediaGarbageCollectionJob(collector, jobParts, instances),
        pruningJob({ job: 'prune_refused_urls', retentionMs: HIT_RETENTION_MS, prune }, jobParts),
      ],
      apply: ({ config: now }) => requestPolicies.rateLimit.replace(rateLimitOf(now)),
      healthChecks: [storageCheck(parts, media.objects)],
      limits: [{ title: 'Preview queue', bounds: bounds.reached, settings: PREVIEW_LIMITS, isHarmless }],
      close: async () => {
        await hits.flush();
        await Promise.all([media.making.close(), worker.close()]);
        media.objects?.close();
      },
    },
  );
}

/** Having to wait is everyday work; a full queue refuses previews. */
const isHarmless = (bound: string): boolean => !bound.endsWith('_waiting');

function storageCheck({ config, database }: ContextParts, objects: ObjectStorage | null): Check {
  if (objects !== null) return objectStorageCheck(objects);
  const where = { missingSinceTs: { not: null } };
  const missingFiles = () =>
    database.client.media.count({ where, orderBy: { missingSinceTs: 'asc' }, take: MAX_COUNTED_FILES });
  const { min_free_space: minFreeBytes } = config.media;
  return diskSpaceCheck({ folder: config.media_store_path, minFreeBytes, missingFiles });
}

function createMedia(parts: ContextParts, made: { bounds: PreviewBounds; worker: PreviewWorker }) {
  const { config, metrics } = parts;
  const { bounds, worker } = made;
  const { thumbnail_sizes: sizes, max_image_pixels: maxPixels, dynamic_thumbnails: dynamic } = config;
  const objects = config.media.storage === 'disk' ? null : createObjectStorage(parts);
  const storage = objects === null ? createDiskStorage(parts, worker) : new S3Storage(objects, worker);
  const shared = { ...parts, storage, rows: new MediaRowStore(parts.database), sizes, maxPixels };
  const maxPending = MAX_PENDING_THUMBNAILS;
  const making = new ThumbnailMaking({ ...shared, maxPending, onLimit: bounds.noteFor('picture') });
  const store = new MediaStore({ ...shared, making, onLimit: bounds.noteFor('file') });
  metrics.observePreviewWork('picture', () => making.load);
  metrics.observePreviewWork('file', () => store.load);
  const reader = new MediaReader({ ...shared, making, dynamic });
  return { objects, storage, making, store, reader, removal: new MediaRemoval({ ...parts, storage }) };
}

function createDiskStorage({ config, metrics, logger }: ContextParts, inspector: PreviewWorker): DiskStorage {
  const { media_store_path: folder } = config;
  const { min_free_space: minFreeBytes } = config.media;
  const onRefused = (freeBytes: number): void => {
    metrics.previewBounds.inc({ work: 'disk', bound: 'total' });
    logger.error(
      { reason: 'disk_full', media_store_path: folder, free_bytes: freeBytes, min_free_space: minFreeBytes },
      'less than media.min_free_space would be left on the disk of media_store_path',
    );
  };
  return new DiskStorage({ folder, inspector, minFreeBytes, onRefused });
}

/** Builds them as the configuration says; `resolver` finds the names that previews connect to. */
function createRequestPolicies(parts: Pick<ContextParts, 'config' | 'clock' | 'resolver'>) {
  const { config, clock } = parts;
  return {
    rules: new UrlRules(config.url_preview_url_blacklist, config.url_preview_url_whitelist),
    policy: new AddressPolicy(rangesOf(config, 'url_preview_ip_range')),
    resolver: parts.resolver.inManner({ limitMs: config.previews.dns_timeout }),
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
