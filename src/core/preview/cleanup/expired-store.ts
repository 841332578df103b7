import type { Database } from '../../store/db.js';
import { countUpTo } from '../../store/lists/count-up-to.js';
import { sql, type Sql } from '../../store/sql/sql.js';

/** Where a walk through rows in order of time stands: the last row seen. */
export interface RowTarget {
  ts: number;
  id: string;
}

/** An expired entry of the persistent preview cache. */
export interface ExpiredPreview {
  id: number;
  expiresTs: number;
  mediaId: string;
}

/** What cleanup needs to know of a media. */
export interface CleanupMedia {
  mediaId: string;
  createdTs: number;
  contentType: string;
  sniffedType: string | null;
  sizeBytes: number;
  fileRemovedTs: number | null;
  thumbnailBytes: number;
}

const MAX_COUNTED = 100_000;

const MEDIA_COLUMNS = {
  mediaId: true,
  createdTs: true,
  contentType: true,
  sniffedType: true,
  sizeBytes: true,
  fileRemovedTs: true,
  thumbnails: { select: { sizeBytes: true } },
} as const;

/** Rows whose time is up, in batches, oldest first. */
export class ExpiredStore {
  constructor(private readonly database: Database) {}

  /** Whether there is anything to clean up; cheap, for a job that mostly finds nothing. */
  async hasExpired(previewsBeforeTs: number, mediaBeforeTs: number): Promise<boolean> {
    const { client } = this.database;
    const preview = await client.previewCache.findFirst({
      where: { expiresTs: { lt: BigInt(previewsBeforeTs) } },
      select: { id: true },
    });
    if (preview !== null) return true;
    const media = await client.media.findFirst({
      where: { createdTs: { lt: BigInt(mediaBeforeTs) }, urlCache: { not: null } },
      select: { mediaId: true },
    });
    return media !== null;
  }

  /** How much there is to clean up, so that progress can be told; `null` when it is more than is worth counting. */
  async countExpired(previewsBeforeTs: number, mediaBeforeTs: number): Promise<number | null> {
    const count = (table: string, where: Sql) => countUpTo(this.database, { table, where }, MAX_COUNTED);
    const previews = await count('preview_cache', sql`expires_ts < ${BigInt(previewsBeforeTs)}`);
    const media = await count('media', sql`created_ts < ${BigInt(mediaBeforeTs)} AND url_cache IS NOT NULL`);
    return previews === MAX_COUNTED || media === MAX_COUNTED ? null : previews + media;
  }

  /** Previews that expired before a time, after the given place. */
  async listPreviews(beforeTs: number, after: RowTarget | null, limit: number): Promise<ExpiredPreview[]> {
    const rows = await this.database.client.previewCache.findMany({
      where: {
        expiresTs: { lt: BigInt(beforeTs), ...(after === null ? {} : { gte: BigInt(after.ts) }) },
        ...(after === null
          ? {}
          : { OR: [{ expiresTs: { gt: BigInt(after.ts) } }, { id: { gt: Number(after.id) } }] }),
      },
      orderBy: [{ expiresTs: 'asc' }, { id: 'asc' }],
      take: limit,
      select: { id: true, expiresTs: true, mediaId: true },
    });
    return rows.map((row) => ({ ...row, expiresTs: Number(row.expiresTs) }));
  }

  async deletePreviews(ids: readonly number[]): Promise<number> {
    const { count } = await this.database.client.previewCache.deleteMany({ where: { id: { in: [...ids] } } });
    return count;
  }

  async findMedia(mediaIds: readonly string[]): Promise<CleanupMedia[]> {
    const rows = await this.database.client.media.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      select: MEDIA_COLUMNS,
    });
    return rows.map(toMedia);
  }

  /** Media of previews that was created before a time, after the given place. */
  async listMedia(beforeTs: number, after: RowTarget | null, limit: number): Promise<CleanupMedia[]> {
    const rows = await this.database.client.media.findMany({
      where: {
        urlCache: { not: null },
        createdTs: { lt: BigInt(beforeTs), ...(after === null ? {} : { gte: BigInt(after.ts) }) },
        ...(after === null
          ? {}
          : { OR: [{ createdTs: { gt: BigInt(after.ts) } }, { mediaId: { gt: after.id } }] }),
      },
      orderBy: [{ createdTs: 'asc' }, { mediaId: 'asc' }],
      take: limit,
      select: MEDIA_COLUMNS,
    });
    return rows.map(toMedia);
  }

  /** Marks that the files of media are about to go; from then on nobody is sent to them. */
  async markRemoved(mediaIds: readonly string[], nowTs: number): Promise<void> {
    if (mediaIds.length === 0) return;
    await this.database.client.media.updateMany({
      where: { mediaId: { in: [...mediaIds] }, fileRemovedTs: null },
      data: { fileRemovedTs: BigInt(nowTs) },
    });
  }

  async deleteMedia(mediaIds: readonly string[]): Promise<number> {
    const where = { mediaId: { in: [...mediaIds] } };
    const { client } = this.database;
    const [, { count }] = await client.$transaction([
      client.mediaThumbnail.deleteMany({ where }),
      client.media.deleteMany({ where }),
    ]);
    return count;
  }

  /** Deletes refused addresses and runs from before the given times; at most `limit` of each. */
  async prune(before: { hitsTs: number; runsTs: number }, limit: number): Promise<number> {
    const { blacklistHit, jobRun } = this.database.client;
    const hits = await blacklistHit.findMany({
      where: { ts: { lt: BigInt(before.hitsTs) } },
      orderBy: { ts: 'asc' },
      take: limit,
      select: { id: true },
    });
    const runs = await jobRun.findMany({
      where: { startedTs: { lt: BigInt(before.runsTs) } },
      orderBy: { startedTs: 'asc' },
      take: limit,
      select: { id: true },
    });
    if (hits.length > 0) await blacklistHit.deleteMany({ where: { id: { in: hits.map(({ id }) => id) } } });
    if (runs.length > 0) await jobRun.deleteMany({ where: { id: { in: runs.map(({ id }) => id) } } });
    return hits.length;
  }
}

interface MediaColumns {
  mediaId: string;
  createdTs: bigint;
  contentType: string;
  sniffedType: string | null;
  sizeBytes: number;
  fileRemovedTs: bigint | null;
  thumbnails: { sizeBytes: number }[];
}

function toMedia({ thumbnails, ...row }: MediaColumns): CleanupMedia {
  return {
    ...row,
    createdTs: Number(row.createdTs),
    fileRemovedTs: row.fileRemovedTs === null ? null : Number(row.fileRemovedTs),
    thumbnailBytes: thumbnails.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}
