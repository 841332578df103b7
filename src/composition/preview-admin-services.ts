import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import { ExpiredStore } from '../core/preview/cleanup/expired-store.js';
import type { Clock } from '../core/base/clock.js';
import type { Database } from '../core/store/db.js';
import type { JobRunner } from '../core/job-runner/job-runner.js';
import type { Logger } from '../core/base/logger.js';
import type { BulkDeletion } from '../core/operators/media/bulk-deletion.js';
import type { MediaFilter } from '../core/operators/media/media-filter.js';
import { createMediaList } from '../core/operators/media/media-list.js';
import type { MediaList } from '../core/operators/media/media-list.js';
import { MediaRecords } from '../core/operators/media/media-records.js';
import { MediaRemoval } from '../core/operators/media/media-removal.js';
import { contentUri } from '../core/preview/media/content-uri.js';
import type { MediaFiles } from '../core/preview/media/media-files.js';
import type { PreviewCache } from '../core/preview/pipeline/preview-cache.js';
import { mediaDeletion, previewDeletion } from '../core/operators/previews/deletions.js';
import { MemoryList } from '../core/operators/previews/memory-list.js';
import type { PreviewFilter } from '../core/operators/previews/preview-filter.js';
import { createPreviewList } from '../core/operators/previews/preview-list.js';
import type { PreviewList } from '../core/operators/previews/preview-list.js';
import { PreviewRecords } from '../core/operators/previews/preview-records.js';
import { PreviewRemoval } from '../core/operators/previews/preview-removal.js';
import { PreviewReplacement } from '../core/operators/previews/preview-replacement.js';
import { PreviewTrial } from '../core/operators/previews/preview-trial.js';
import { TrialMedia } from '../core/operators/previews/trial-media.js';
import type { PreviewServices } from './preview-services.js';

/** Stored previews and media for operators and for the command line. */
export interface CacheAdmin {
  previews: PreviewList;
  previewRecords: PreviewRecords;
  media: MediaList;
  mediaRecords: MediaRecords;
  mediaRemoval: MediaRemoval;
  previewRemoval: PreviewRemoval;
  deletePreviews(options: { withMedia: boolean }): BulkDeletion<number, PreviewFilter>;
  deleteMedia: BulkDeletion<string, MediaFilter>;
  /** When the cleanup deletes media made at a time. */
  deletesTs(createdTs: number): number;
  contentUri(mediaId: string): string;
  /** Where the signed-in see a media. */
  viewPath(mediaId: string): string;
}

/** The same of a server, with its memory and its way to the sites. */
export interface PreviewAdminServices extends CacheAdmin {
  memory: MemoryList;
  replacement: PreviewReplacement;
  trial: PreviewTrial;
  /** Name of this instance, whose memory is listed. */
  instance: string;
  close(): Promise<void>;
}

/** What stored previews and media are reached with. */
export interface CacheAdminParts extends Pick<ContextParts, 'dialect'> {
  clock: Clock;
  logger: Logger;
  database: Database;
  files: MediaFiles;
  runner: JobRunner;
  /** `null` in a process that answers no clients. */
  cache: PreviewCache | null;
}

/** Builds what needs neither clients nor sites. */
export function createCacheAdmin(config: Config, parts: CacheAdminParts): CacheAdmin {
  const { clock, logger, database, files, runner, cache, dialect } = parts;
  const previewRecords = new PreviewRecords(database);
  const previews = createPreviewList(database, previewRecords, clock);
  const mediaRecords = new MediaRecords(database);
  const media = createMediaList(database, mediaRecords);
  const mediaRemoval = new MediaRemoval({ expired: new ExpiredStore(database), files, clock, logger });
  const previewRemoval = new PreviewRemoval({ database, media: mediaRemoval, cache });
  const deletable = { previews, previewRecords, previewRemoval, media, mediaRecords, mediaRemoval, runner };
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    previews,
    previewRecords,
    media,
    mediaRecords,
    mediaRemoval,
    previewRemoval,
    deletePreviews: (options) => previewDeletion(deletable, options),
    deleteMedia: mediaDeletion(deletable),
    deletesTs: (createdTs) => createdTs + config.previews.media_retention,
    viewPath: (mediaId) => `${config.admin.base_path}/api/media/${mediaId}`,
    contentUri: (mediaId) => contentUri({ scheme, serverName: config.server_name, mediaId }),
  };
}

/** Builds it all over running previews. */
export function createPreviewAdmin(
  config: Config,
  parts: Pick<ContextParts, 'clock' | 'logger' | 'database' | 'dialect'>,
  { services, runner, instance }: { services: PreviewServices; runner: JobRunner; instance: string },
): PreviewAdminServices {
  const { clock, logger } = parts;
  const { previewer, cache, mediaFiles: files } = services;
  const admin = createCacheAdmin(config, { ...parts, files, runner, cache });
  const { previewRecords: records, previewRemoval: removal } = admin;
  const replacement = new PreviewReplacement({ previewer, records, removal, runner, clock, logger });
  const media = new TrialMedia(admin.mediaRemoval, logger);
  return {
    ...admin,
    memory: new MemoryList(cache),
    replacement,
    trial: new PreviewTrial({
      previewer,
      replacement,
      media,
      clock,
      monotonicNowMs: () => performance.now(),
    }),
    instance,
    close: () => media.close(),
  };
}
