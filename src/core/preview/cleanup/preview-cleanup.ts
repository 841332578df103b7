import { dirname } from 'node:path';

import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Database } from '../../store/db.js';
import { filePath, thumbnailFolder } from '../media/media-paths.js';
import type { MediaStorage } from '../media/storage/media-storage.js';
import type { JobWork } from '../../job-runner/job-run.js';

interface MediaRemovalOptions {
  database: Pick<Database, 'client'>;
  storage: MediaStorage;
  clock: Clock;
  logger: Logger;
}

interface FoundMedia {
  mediaId: string;
  contentType: string;
  sniffedType: string | null;
  sizeBytes: number;
  fileRemovedTs: bigint | null;
  thumbnails: { sizeBytes: number }[];
}

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
    const pages = media.filter(
      ({ sniffedType, contentType }) => sniffedType === null && !/^image\//i.test(contentType),
    );
    return this.#removeFiles(pages, { thumbnails: false, progress });
  }

  #find(mediaIds: readonly string[]): Promise<FoundMedia[]> {
    return this.options.database.client.media.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      select: {
        mediaId: true,
        contentType: true,
        sniffedType: true,
        sizeBytes: true,
        fileRemovedTs: true,
        thumbnails: { select: { sizeBytes: true } },
      },
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
        if ((await storage.remove(filePath(mediaId))) === 'removed') {
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
    const days = media.flatMap(({ mediaId }) =>
      [filePath(mediaId), thumbnailFolder(mediaId)].map((path) => dirname(path)),
    );
    await removeEmptyFolders(new Set(days), this.options);
    return kept;
  }
}

/** Removes the folders that are empty; resolves to how many. Failures are logged. */
export async function removeEmptyFolders(
  folders: Iterable<string>,
  { storage, logger }: Pick<MediaRemovalOptions, 'storage' | 'logger'>,
): Promise<number> {
  let removed = 0;
  for (const folder of folders) {
    try {
      if (await storage.removeIfEmpty(folder)) removed += 1;
    } catch (error) {
      logger.debug({ err: error }, 'an empty folder could not be removed');
    }
  }
  return removed;
}

interface PreviewCleanupOptions {
  database: Pick<Database, 'client'>;
  removal: MediaRemoval;
  mediaRetentionMs: number;
}

/** Rows are read, and the lease renewed, in batches of this size. */
const BATCH = 500;

/** Background cleanup of the preview cache (SPEC §4.8), over a migrated database: oldest first, in batches. */
export class PreviewCleanup {
  readonly work: JobWork = {
    job: 'preview_cleanup',
    work: (progress, nowTs) => this.#run(nowTs, progress),
    isDue: (nowTs) => this.#isDue(nowTs),
  };

  constructor(private readonly options: PreviewCleanupOptions) {}

  /** Whether a run would find anything to remove. */
  async #isDue(nowTs: number): Promise<boolean> {
    const { previewCache, media } = this.options.database.client;
    const expired = { expiresTs: { lt: BigInt(nowTs) } };
    if ((await previewCache.findFirst({ where: expired, select: { id: true } })) !== null) return true;
    const old = { urlCache: { not: null }, createdTs: { lt: this.#mediaLimitTs(nowTs) } };
    return (await media.findFirst({ where: old, select: { mediaId: true } })) !== null;
  }

  async #run(nowTs: number, progress: RunProgress): Promise<void> {
    // §4.8.1: entries that have expired, with their stored pages.
    await this.#removeExpired(BigInt(nowTs), progress);
    // §4.8.2: media past its retention, with its thumbnails.
    await this.#removeOldMedia(this.#mediaLimitTs(nowTs), progress);
  }

  async #removeExpired(beforeTs: bigint, progress: RunProgress): Promise<void> {
    const { database, removal } = this.options;
    const { previewCache } = database.client;
    await inBatches(
      (skip) =>
        previewCache.findMany({
          where: { expiresTs: { lt: beforeTs } },
          orderBy: [{ expiresTs: 'asc' }, { id: 'asc' }],
          skip,
          take: BATCH,
          select: { id: true, mediaId: true },
        }),
      progress,
      async (previews) => {
        const kept = await removal.removePages(
          previews.map(({ mediaId }) => mediaId),
          progress,
        );
        const ids = previews.filter(({ mediaId }) => !kept.has(mediaId)).map(({ id }) => id);
        const { count } = await previewCache.deleteMany({ where: { id: { in: ids } } });
        progress.add('previews', count);
        return previews.length - ids.length;
      },
    );
  }

  async #removeOldMedia(beforeTs: bigint, progress: RunProgress): Promise<void> {
    const { database, removal } = this.options;
    await inBatches(
      (skip) =>
        database.client.media.findMany({
          where: { urlCache: { not: null }, createdTs: { lt: beforeTs } },
          orderBy: [{ createdTs: 'asc' }, { mediaId: 'asc' }],
          skip,
          take: BATCH,
          select: { mediaId: true },
        }),
      progress,
      async (media) => {
        const mediaIds = media.map(({ mediaId }) => mediaId);
        return (await removal.remove(mediaIds, progress)).size;
      },
    );
  }

  #mediaLimitTs(nowTs: number): bigint {
    return BigInt(nowTs - this.options.mediaRetentionMs);
  }
}

/** Cleans batch after batch; `clean` resolves to how many rows of a batch stay, which the next one leaves out. */
async function inBatches<Row>(
  list: (skip: number) => Promise<Row[]>,
  progress: RunProgress,
  clean: (rows: Row[]) => Promise<number>,
): Promise<void> {
  let kept = 0;
  for (let rows = await list(0); rows.length > 0; rows = await list(kept)) {
    kept += await clean(rows);
    progress.done += rows.length;
    progress.checkpoint();
  }
}
