import { dirname } from 'node:path';

import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Database, MediaRow } from '../../store/db.js';
import { isImageType } from '../media/image/image-type.js';
import { filePath, idsOf, thumbnailFolder } from '../media/media-paths.js';
import type { MediaStorage } from '../media/storage/media-storage.js';
import type { JobWork } from '../../job-runner/job-run.js';

interface MediaRemovalOptions {
  database: Pick<Database, 'client'>;
  storage: MediaStorage;
  clock: Clock;
  logger: Logger;
}

type FoundMedia = MediaRow & { thumbnails: { sizeBytes: number }[] };

/** Files removed at once; more would only wait for the same few threads. */
const AT_ONCE = 8;

/**
 * Removes media: the row is marked, the files go, the row goes, so that after a crash at any point the cleanup or the
 * garbage collection finishes the work. A file that is gone already is fine.
 */
export class MediaRemoval {
  constructor(private readonly options: MediaRemovalOptions) {}

  /** Removes at most a few hundred media with thumbnails. Resolves to those whose files would not go; their rows stay. */
  async remove(mediaIds: readonly string[], progress: RunProgress): Promise<ReadonlySet<string>> {
    if (mediaIds.length === 0) return new Set();
    const kept = await this.#removeFiles(await this.#find(mediaIds), { thumbnails: true, progress });
    const where = { mediaId: { in: mediaIds.filter((mediaId) => !kept.has(mediaId)) } };
    const { client } = this.options.database;
    const [, { count }] = await client.$transaction([
      client.mediaThumbnail.deleteMany({ where }),
      client.media.deleteMany({ where }),
    ]);
    progress.add('media', count);
    return kept;
  }

  /** Removes the files of pages alone: images stay as long as their rows, since clients still load them. */
  async removePages(mediaIds: readonly string[], progress: RunProgress): Promise<ReadonlySet<string>> {
    const media = await this.#find(mediaIds);
    const isPage = (row: FoundMedia): boolean => row.sniffedType === null && !isImageType(row.contentType);
    return this.#removeFiles(media.filter(isPage), { thumbnails: false, progress });
  }

  #find(mediaIds: readonly string[]): Promise<FoundMedia[]> {
    return this.options.database.client.media.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      include: { thumbnails: { select: { sizeBytes: true } } },
    });
  }

  async #removeFiles(
    media: readonly FoundMedia[],
    { thumbnails, progress }: { thumbnails: boolean; progress: RunProgress },
  ): Promise<ReadonlySet<string>> {
    const { database, storage, clock, logger } = this.options;
    const present = media.filter(({ fileRemovedTs }) => fileRemovedTs === null);
    if (present.length > 0)
      await database.client.media.updateMany({
        where: { mediaId: { in: present.map(({ mediaId }) => mediaId) }, fileRemovedTs: null },
        data: { fileRemovedTs: BigInt(clock.now()) },
      });
    const kept = new Set<string>();
    const removeOne = async (item: FoundMedia): Promise<void> => {
      const { mediaId, sizeBytes } = item;
      try {
        if (await storage.remove(filePath(mediaId))) {
          progress.add('files');
          progress.bytes += sizeBytes;
        }
        if (!thumbnails) return;
        await storage.removeAll(thumbnailFolder(mediaId));
        for (const thumbnail of item.thumbnails) progress.bytes += thumbnail.sizeBytes;
      } catch (error) {
        progress.keep(error);
        logger.debug({ err: error, media_id: mediaId }, 'a file could not be removed');
        kept.add(mediaId);
      }
    };
    for (let start = 0; start < media.length; start += AT_ONCE)
      await Promise.all(media.slice(start, start + AT_ONCE).map(removeOne));
    const folders = media.flatMap(({ mediaId }) => [filePath(mediaId), thumbnailFolder(mediaId)]);
    for (const day of new Set(folders.map((path) => dirname(path))))
      await storage.removeIfEmpty(day).catch((error: unknown) => {
        logger.debug({ err: error }, 'an empty folder could not be removed');
      });
    return kept;
  }
}

/** Rows are read, and the lease renewed, in batches of this size. */
const BATCH = 500;

interface PreviewCleanupOptions {
  database: Pick<Database, 'client'>;
  removal: MediaRemoval;
  mediaRetentionMs: number;
}

/** Background cleanup of the preview cache (SPEC §4.8), over a migrated database: oldest first, in batches. */
export function previewCleanup({ database, removal, mediaRetentionMs }: PreviewCleanupOptions): JobWork {
  const { media, previewCache } = database.client;
  const expired = (nowTs: number, batch: Batch) =>
    previewCache.findMany({
      where: { expiresTs: { lt: BigInt(nowTs) } },
      orderBy: [{ expiresTs: 'asc' }, { id: 'asc' }],
      select: { id: true, mediaId: true },
      ...batch,
    });
  const oldMedia = (nowTs: number, batch: Batch) =>
    media.findMany({
      where: { urlCache: { not: null }, createdTs: { lt: BigInt(nowTs - mediaRetentionMs) } },
      orderBy: [{ createdTs: 'asc' }, { mediaId: 'asc' }],
      select: { mediaId: true },
      ...batch,
    });
  const work = async (progress: RunProgress, nowTs: number): Promise<void> => {
    // §4.8.1: entries that have expired, with their stored pages.
    const listExpired = (batch: Batch) => expired(nowTs, batch);
    await inBatches(listExpired, progress, async (previews) => {
      const kept = await removal.removePages(idsOf(previews), progress);
      const ids = previews.filter(({ mediaId }) => !kept.has(mediaId)).map(({ id }) => id);
      const { count } = await previewCache.deleteMany({ where: { id: { in: ids } } });
      progress.add('previews', count);
      return previews.length - ids.length;
    });
    // §4.8.2: media past its retention, with its thumbnails.
    const listOld = (batch: Batch) => oldMedia(nowTs, batch);
    await inBatches(listOld, progress, async (old) => (await removal.remove(idsOf(old), progress)).size);
  };
  const first = { skip: 0, take: 1 };
  return {
    job: 'preview_cleanup',
    work,
    isDue: async (nowTs) =>
      (await expired(nowTs, first)).length > 0 || (await oldMedia(nowTs, first)).length > 0,
  };
}

interface Batch {
  skip: number;
  take: number;
}

/** Cleans batch after batch; `clean` resolves to how many rows of a batch stay, which the next one leaves out. */
async function inBatches<Row>(
  list: (batch: Batch) => Promise<Row[]>,
  progress: RunProgress,
  clean: (rows: Row[]) => Promise<number>,
): Promise<void> {
  for (let skip = 0; ;) {
    const rows = await list({ skip, take: BATCH });
    if (rows.length === 0) return;
    skip += await clean(rows);
    progress.done += rows.length;
    progress.checkpoint();
  }
}
