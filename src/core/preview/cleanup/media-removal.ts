import { dirname } from 'node:path';

import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Database } from '../../store/db.js';
import { filePath, thumbnailFolder } from '../media/media-paths.js';
import type { MediaStorage } from '../media/storage/media-storage.js';

export interface MediaRemovalOptions {
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
