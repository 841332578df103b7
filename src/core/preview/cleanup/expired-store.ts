import type { Database } from '../../store/db.js';

/** An expired entry of the persistent preview cache. */
export interface ExpiredPreview {
  id: number;
  mediaId: string;
}

/** What cleanup needs to know of a media. */
export interface CleanupMedia {
  mediaId: string;
  contentType: string;
  sniffedType: string | null;
  sizeBytes: number;
  fileRemovedTs: number | null;
  thumbnailBytes: number;
}

/** Rows from before these times go, POSIX ms. */
export interface CleanupLimits {
  previewsTs: number;
  mediaTs: number;
  hitsTs: number;
  runsTs: number;
}

const MEDIA_COLUMNS = {
  mediaId: true,
  contentType: true,
  sniffedType: true,
  sizeBytes: true,
  fileRemovedTs: true,
  thumbnails: { select: { sizeBytes: true } },
} as const;

/** Rows whose time is up, in batches, oldest first. */
export class ExpiredStore {
  constructor(private readonly database: Pick<Database, 'client'>) {}

  /** Whether anything is from before the limits. */
  async isAnythingLeft({ previewsTs, mediaTs, hitsTs, runsTs }: CleanupLimits): Promise<boolean> {
    const { previewCache, media, blacklistHit, jobRun } = this.database.client;
    const before = (ts: number) => ({ lt: BigInt(ts) });
    const id = { id: true } as const;
    return (
      (await previewCache.findFirst({ where: { expiresTs: before(previewsTs) }, select: id })) !== null ||
      (await media.findFirst({
        where: { urlCache: { not: null }, createdTs: before(mediaTs) },
        select: { mediaId: true },
      })) !== null ||
      (await blacklistHit.findFirst({ where: { ts: before(hitsTs) }, select: id })) !== null ||
      (await jobRun.findFirst({ where: { startedTs: before(runsTs) }, select: id })) !== null
    );
  }

  /** Previews that expired before a time, after so many that stay. */
  listPreviews(beforeTs: number, skip: number, take: number): Promise<ExpiredPreview[]> {
    return this.database.client.previewCache.findMany({
      where: { expiresTs: { lt: BigInt(beforeTs) } },
      orderBy: [{ expiresTs: 'asc' }, { id: 'asc' }],
      skip,
      take,
      select: { id: true, mediaId: true },
    });
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

  /** Media of previews that was created before a time, after so many that stay. */
  async listMedia(beforeTs: number, skip: number, take: number): Promise<CleanupMedia[]> {
    const rows = await this.database.client.media.findMany({
      where: { urlCache: { not: null }, createdTs: { lt: BigInt(beforeTs) } },
      orderBy: [{ createdTs: 'asc' }, { mediaId: 'asc' }],
      skip,
      take,
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

  /** Deletes refused addresses and runs from before the given times; at most `take` of each. */
  async prune(before: Pick<CleanupLimits, 'hitsTs' | 'runsTs'>, take: number): Promise<number> {
    const { blacklistHit, jobRun } = this.database.client;
    const select = { id: true } as const;
    const hits = await blacklistHit.findMany({
      where: { ts: { lt: BigInt(before.hitsTs) } },
      orderBy: { ts: 'asc' },
      take,
      select,
    });
    const runs = await jobRun.findMany({
      where: { startedTs: { lt: BigInt(before.runsTs) } },
      orderBy: { startedTs: 'asc' },
      take,
      select,
    });
    if (hits.length > 0) await blacklistHit.deleteMany({ where: { id: { in: hits.map(({ id }) => id) } } });
    if (runs.length > 0) await jobRun.deleteMany({ where: { id: { in: runs.map(({ id }) => id) } } });
    return hits.length;
  }
}

interface MediaColumns extends Omit<CleanupMedia, 'fileRemovedTs' | 'thumbnailBytes'> {
  fileRemovedTs: bigint | null;
  thumbnails: { sizeBytes: number }[];
}

function toMedia({ thumbnails, ...row }: MediaColumns): CleanupMedia {
  return {
    ...row,
    fileRemovedTs: row.fileRemovedTs === null ? null : Number(row.fileRemovedTs),
    thumbnailBytes: thumbnails.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}
