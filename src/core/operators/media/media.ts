import { isOneOf } from '../../base/json/is-record.js';
import { type AddressSearch, searchableUrl } from '../../base/text/url.js';
import { storableText } from '../../base/text/strings.js';
import { THUMBNAIL_METHODS } from '../../preview/media/image/thumbnail-sizes.js';
import type { ThumbnailRow } from '../../preview/media/media-store.js';
import type { Database, MediaRow } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  type CreationFilter,
  type ListCondition,
  type ListedRow,
  type Where,
  startsWith,
  textIn,
} from '../../store/lists/keyset-filter.js';
import { RecordList, type Listing } from '../../store/lists/record-list.js';

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

/** Which media is wanted; absent members do not matter. */
export interface MediaFilter extends CreationFilter, AddressSearch {
  mediaIds?: readonly string[];
  /** Part of the media id, the fetched address or the file name. */
  search?: string;
  /** Exact. */
  owner?: string;
  /** Whole type or its beginning, such as `image/`. */
  contentType?: string;
  fileState?: FileState;
}

/** What media can be sorted by, each with an index. */
export type MediaSortField = 'created' | 'bytes';

/** An order of media. */
export interface MediaSort {
  field: MediaSortField;
  direction: 'asc' | 'desc';
}

export interface WantedMedia {
  filter: MediaFilter;
  sort: MediaSort;
}

export type MediaList = RecordList<WantedMedia, string, MediaRecord>;

/** Newest first. */
export const DEFAULT_MEDIA_SORT: MediaSort = { field: 'created', direction: 'desc' };

export function createMediaList(database: Database, records: MediaRecords): MediaList {
  return new RecordList(database, {
    listing: ({ filter, sort }) => mediaListing(filter, sort, database.engine),
    find: (mediaIds) => records.find(mediaIds),
    keyOf: ({ mediaId }) => mediaId,
  });
}

const SORTS = { created: 'createdTs', bytes: 'sizeBytes' } as const;

const FILE_STATES: Record<FileState, Where> = {
  present: { missingSinceTs: null, fileRemovedTs: null },
  missing: { missingSinceTs: { not: null }, fileRemovedTs: null },
  removed: { fileRemovedTs: { not: null } },
};

/** The list of media that a filter lets through. */
function mediaListing(filter: MediaFilter, sort: MediaSort, engine: Database['engine']): Listing {
  const { mediaIds, search = '', owner, contentType, host, fileState } = filter;
  const conditions: ListCondition[] = createdOf(filter);
  if (mediaIds !== undefined)
    conditions.push({ where: { mediaId: { in: [...mediaIds] } }, servedBy: Object.values(SORTS) });
  if (owner !== undefined) {
    // One index at a time: with a host given, the rows of that are looked through.
    const servedBy = host === undefined ? ['createdTs'] : [];
    conditions.push({ where: { userId: storableText(owner) }, servedBy });
  }
  if (contentType !== undefined) conditions.push(startsWith(engine, 'contentType', contentType));
  if (fileState !== undefined) conditions.push({ where: FILE_STATES[fileState] });
  if (search !== '') conditions.push(found(engine, search, filter));
  const order = {
    model: 'media',
    sort: { name: SORTS[sort.field], kind: 'integer', nullable: false, direction: sort.direction },
    key: { name: 'mediaId', kind: 'text' },
  } as const;
  return { ...order, conditions };
}

function found(engine: Database['engine'], search: string, filter: MediaFilter): ListCondition {
  const shown = (row: ListedRow): unknown[] => [
    row['mediaId'],
    searchableUrl(textIn(row, 'urlCache'), textIn(row, 'host'), filter),
    row['uploadName'],
  ];
  return anyContains(engine, { fields: ['mediaId', 'urlCache', 'uploadName', 'host'], shown }, search);
}
