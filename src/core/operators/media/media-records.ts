import { THUMBNAIL_METHODS } from '../../preview/media/image/thumbnail-sizes.js';
import { isOneOf } from '../../base/json/is-record.js';
import type { Database, MediaRow } from '../../store/db.js';
import type { ThumbnailRow } from '../../preview/media/media-row-store.js';

/** How a media's file stands: there, lost, or removed by the cleanup while its row stays a little longer. */
export type FileState = 'present' | 'missing' | 'removed';

/** A stored file as operators see it. */
export interface MediaRecord {
  mediaId: string;
  /** Who asked for the preview. */
  owner: string;
  createdTs: number;
  /** As the origin stated it. */
  contentType: string;
  /** What the first bytes say; `null` when they are no known image. */
  sniffedType: string | null;
  sizeBytes: number;
  uploadName: string | null;
  /** The fetched address; `null` for media of no preview, which is never cleaned up. */
  sourceUrl: string | null;
  width: number | null;
  height: number | null;
  fileState: FileState;
}

/** Reads rows of media for operators, many at a time. */
export class MediaRecords {
  constructor(private readonly database: Database) {}

  /** Those of the given media that are there, in the order asked for. */
  async find(mediaIds: readonly string[]): Promise<MediaRecord[]> {
    const rows = await this.database.client.media.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      omit: { sha256: true, host: true, lastAccessTs: true },
    });
    const found = new Map(rows.map((row) => [row.mediaId, toRecord(row)]));
    return mediaIds.map((mediaId) => found.get(mediaId)).filter((record) => record !== undefined);
  }

  /** Thumbnails of the given media by media id, smallest first. */
  async thumbnails(mediaIds: readonly string[]): Promise<Map<string, ThumbnailRow[]>> {
    const rows = await this.database.client.mediaThumbnail.findMany({
      where: { mediaId: { in: [...mediaIds] } },
      orderBy: [{ width: 'asc' }, { height: 'asc' }, { method: 'asc' }],
    });
    const found = new Map<string, ThumbnailRow[]>(mediaIds.map((mediaId) => [mediaId, []]));
    for (const { mediaId, method, ...row } of rows) {
      if (isOneOf(THUMBNAIL_METHODS, method)) found.get(mediaId)?.push({ ...row, method });
    }
    return found;
  }
}

type Row = Omit<MediaRow, 'sha256' | 'host' | 'lastAccessTs'>;

function toRecord({ userId, createdTs, urlCache, fileRemovedTs, missingSinceTs, ...row }: Row): MediaRecord {
  const fileState = fileRemovedTs !== null ? 'removed' : missingSinceTs !== null ? 'missing' : 'present';
  return { ...row, owner: userId, createdTs: Number(createdTs), sourceUrl: urlCache, fileState };
}
