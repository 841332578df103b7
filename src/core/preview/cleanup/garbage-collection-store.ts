import type { Database } from '../../store/db.js';
import { countAll } from '../../store/lists/count-all.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';

/** Stored media. */
export interface CollectedMedia {
  mediaId: string;
  sizeBytes: number;
  /** Whether its removal has begun; else its file should be there. */
  isRemoved: boolean;
  /** Whether it was found missing before. */
  isMissing: boolean;
}

/** A thumbnail as the garbage collection compares it with files. */
export interface StoredThumbnail {
  mediaId: string;
  width: number;
  height: number;
  method: string;
  contentType: string;
  sizeBytes: number;
  /** Whether the removal of its media has begun. */
  isRemoved: boolean;
}

const MEDIA_ID = { column: 'media_id', kind: 'text' } as const;
const ALL_MEDIA: KeysetListing = {
  table: 'media',
  columns: [],
  sort: { ...MEDIA_ID, nullable: false, direction: 'asc' },
  key: MEDIA_ID,
  indexed: [],
  residual: [],
};

/** Rows the garbage collection compares with files. */
export class GarbageCollectionStore {
  constructor(private readonly database: Database) {}

  /** Of the given media ids those that have a row; the value says whether the file should be there. */
  async findRows(mediaIds: readonly string[]): Promise<Map<string, boolean>> {
    const rows = await this.database.client.media.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      select: { mediaId: true, fileRemovedTs: true },
    });
    return new Map(rows.map((row) => [row.mediaId, row.fileRemovedTs === null]));
  }

  /** Thumbnails of the given media. */
  async findThumbnails(mediaIds: readonly string[]): Promise<StoredThumbnail[]> {
    const rows = await this.database.client.mediaThumbnail.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      omit: { animated: true },
      include: { media: { select: { fileRemovedTs: true } } },
    });
    return rows.map(({ media, ...row }) => ({ ...row, isRemoved: media.fileRemovedTs !== null }));
  }

  /** How many media there are, counted in windows: one statement for millions would hold up everything else. */
  countMedia(): Promise<number> {
    return countAll(this.database, ALL_MEDIA);
  }

  /** Media in order of id, after the given one. */
  async listMedia(afterMediaId: string, limit: number): Promise<CollectedMedia[]> {
    const rows = await this.database.client.media.findMany({
      where: { mediaId: { gt: afterMediaId } },
      orderBy: { mediaId: 'asc' },
      take: limit,
      select: { mediaId: true, sizeBytes: true, fileRemovedTs: true, missingSinceTs: true },
    });
    return rows.map(({ fileRemovedTs, missingSinceTs, ...row }) => ({
      ...row,
      isRemoved: fileRemovedTs !== null,
      isMissing: missingSinceTs !== null,
    }));
  }

  /**
   * Media whose file is lost: it is marked, and previews made from it are forgotten, so that the next request
   * makes them anew. Resolves to how many were not marked before.
   */
  async markLost(mediaIds: readonly string[], nowTs: number): Promise<number> {
    const { client } = this.database;
    const [{ count }] = await client.$transaction([
      client.media.updateMany({
        where: { mediaId: { in: [...mediaIds] }, fileRemovedTs: null, missingSinceTs: null },
        data: { missingSinceTs: BigInt(nowTs) },
      }),
      client.previewCache.deleteMany({
        where: { OR: [{ mediaId: { in: [...mediaIds] } }, { imageMediaId: { in: [...mediaIds] } }] },
      }),
    ]);
    return count;
  }

  /** Media whose file is back, from a backup say, is served again. Resolves to how many were marked. */
  async markFound(mediaIds: readonly string[]): Promise<number> {
    const { count } = await this.database.client.media.updateMany({
      where: { mediaId: { in: [...mediaIds] }, missingSinceTs: { not: null } },
      data: { missingSinceTs: null },
    });
    return count;
  }

  /** Forgets thumbnails whose files are lost; they are made again when asked for. */
  async deleteThumbnails(thumbnails: readonly StoredThumbnail[]): Promise<void> {
    const { client } = this.database;
    await client.$transaction(
      thumbnails.map(({ mediaId, width, height, method }) =>
        client.mediaThumbnail.deleteMany({ where: { mediaId, width, height, method } }),
      ),
    );
  }
}
