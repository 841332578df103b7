import { THUMBNAIL_METHODS } from './image/thumbnail-sizes.js';
import { isOneOf } from '../../base/json/is-record.js';
import type { Database } from '../../store/db.js';
import { hostEnd, hostOfUrl } from '../../base/text/url.js';
import type { ThumbnailKey } from './media-paths.js';

export interface ThumbnailRow extends ThumbnailKey {
  sizeBytes: number;
  animated: boolean;
}

export interface MediaRow {
  mediaId: string;
  /** Owner: who asked for the preview. */
  userId: string;
  createdTs: number;
  /** As the origin stated it. */
  contentType: string;
  /** Image type by content; `null`: no known image. */
  sniffedType: string | null;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** File name as the origin stated it. */
  uploadName: string | null;
  /** The fetched address; `null` for media that belongs to no preview. */
  urlCache: string | null;
  /** Pixels after orientation; `null` when not decoded. */
  width: number | null;
  height: number | null;
  lastAccessTs: number | null;
  /** When the file's removal began; `null` while it is there. */
  fileRemovedTs: number | null;
  /** Since when the file has been missing though nobody removed it; `null` while it is there. */
  missingSinceTs: number | null;
}

/** It has not been loaded, removed or lost. */
export type NewMedia = Omit<MediaRow, 'lastAccessTs' | 'fileRemovedTs' | 'missingSinceTs'>;

export class MediaRowStore {
  constructor(private readonly database: Database) {}

  async find(mediaId: string): Promise<MediaRow | null> {
    const row = await this.database.client.media.findFirst({
      where: { mediaId },
      omit: { host: true, hostEnd: true },
    });
    if (row === null) return null;
    return {
      ...row,
      createdTs: Number(row.createdTs),
      lastAccessTs: toTs(row.lastAccessTs),
      fileRemovedTs: toTs(row.fileRemovedTs),
      missingSinceTs: toTs(row.missingSinceTs),
    };
  }

  async insert(row: NewMedia): Promise<void> {
    const host = hostOfUrl(row.urlCache);
    const data = { ...row, createdTs: BigInt(row.createdTs), host, hostEnd: hostEnd(host) };
    await this.database.client.media.create({ data, select: { mediaId: true } });
  }

  /** The thumbnails of a media, in no particular order. */
  async listThumbnails(mediaId: string): Promise<ThumbnailRow[]> {
    const rows = await this.database.client.mediaThumbnail.findMany({
      where: { mediaId },
      omit: { mediaId: true },
    });
    return rows.flatMap(({ method, ...row }) =>
      isOneOf(THUMBNAIL_METHODS, method) ? [{ ...row, method }] : [],
    );
  }

  /** Stores thumbnails made later; `false` when the media has been removed meanwhile. */
  saveThumbnails(mediaId: string, thumbnails: readonly ThumbnailRow[]): Promise<boolean> {
    return this.database.client.$transaction(async (tx) => {
      const where = { mediaId, fileRemovedTs: null };
      if ((await tx.media.findFirst({ where, select: { mediaId: true } })) === null) return false;
      for (const thumbnail of thumbnails) {
        const { width, height, method, animated, ...update } = thumbnail;
        const key = { mediaId, width, height, method, animated };
        await tx.mediaThumbnail.upsert({
          where: { mediaId_width_height_method_animated: key },
          create: { ...key, ...update },
          update,
        });
      }
      return true;
    });
  }

  /** Notes that an image cannot be decoded after all. */
  async forgetSize(mediaId: string): Promise<void> {
    await this.database.client.media.updateMany({ where: { mediaId }, data: { width: null, height: null } });
  }

  async deleteThumbnail(mediaId: string, thumbnail: ThumbnailRow): Promise<void> {
    const { width, height, method, animated } = thumbnail;
    await this.database.client.mediaThumbnail.deleteMany({
      where: { mediaId, width, height, method, animated },
    });
  }

  async noteAccess(mediaId: string, nowTs: number): Promise<void> {
    await this.database.client.media.updateMany({
      where: { mediaId },
      data: { lastAccessTs: BigInt(nowTs) },
    });
  }
}

function toTs(column: bigint | null): number | null {
  return column === null ? null : Number(column);
}
