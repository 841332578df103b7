import { storableText, textOf } from '../../base/text/strings.js';
import { type AddressSearch, searchableUrl } from '../../base/text/url.js';
import type { Database, MediaRow } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  startsWith,
  textIn,
  type CreationFilter,
  type Where,
} from '../../store/lists/keyset-filter.js';
import { type Listing, RecordList } from '../../store/lists/record-list.js';
import { type PlainRow, plainRow } from '../../store/plain-row.js';

/** How a media's file stands: there, lost, or removed by the cleanup while its row stays a little longer. */
export type FileState = 'present' | 'missing' | 'removed';

/** A stored file as operators see it. */
export type MediaRecord = PlainRow<MediaRow> & { fileState: FileState };

/** Media by ID, in any order. */
export async function findMedia({ client }: Database, mediaIds: readonly string[]): Promise<MediaRecord[]> {
  const rows = await client.media.findMany({ where: { mediaId: { in: [...mediaIds] } } });
  return rows.map((row) => ({ ...plainRow(row), fileState: fileStateOf(row) }));
}

function fileStateOf({ fileRemovedTs, missingSinceTs }: MediaRow): FileState {
  if (fileRemovedTs !== null) return 'removed';
  return missingSinceTs === null ? 'present' : 'missing';
}

/** Thumbnails of media, smallest first. */
export function findThumbnails({ client }: Database, mediaIds: readonly string[]) {
  return client.mediaThumbnail.findMany({
    where: { mediaId: { in: [...mediaIds] } },
    orderBy: [{ width: 'asc' }, { height: 'asc' }, { method: 'asc' }],
  });
}

/** Which media is wanted; absent members do not matter. */
export interface MediaFilter extends CreationFilter, AddressSearch {
  ids?: readonly string[] | null;
  /** Part of the media id, the fetched address or the file name. */
  search?: string | null;
  owner?: string | null;
  /** Whole type or its beginning, such as `image/`. */
  contentType?: string | null;
  fileState?: FileState | null;
}

/** What media can be sorted by, each with an index. */
const SORTED = ['createdTs', 'sizeBytes'] as const;

export interface WantedMedia {
  filter: MediaFilter;
  /** Absent: by age. */
  sortBy?: (typeof SORTED)[number] | null;
  /** Absent: largest or newest first. */
  direction?: 'asc' | 'desc' | null;
}

export function mediaList(database: Database): RecordList<WantedMedia, string, MediaRecord> {
  return new RecordList(database, {
    listing: (wanted) => mediaListing(wanted, database.engine),
    find: (mediaIds) => findMedia(database, mediaIds),
    keyOf: ({ mediaId }) => mediaId,
  });
}

const FILE_STATES: Record<FileState, Where> = {
  present: { missingSinceTs: null, fileRemovedTs: null },
  missing: { missingSinceTs: { not: null }, fileRemovedTs: null },
  removed: { fileRemovedTs: { not: null } },
};

/** The list of media that a filter lets through. */
function mediaListing({ filter, sortBy, direction }: WantedMedia, engine: Database['engine']): Listing {
  const { ids, search, owner, host, fileState } = filter;
  const contentType = textOf(filter.contentType);
  const order = {
    model: 'media',
    sort: { name: sortBy ?? 'createdTs', direction: direction ?? 'desc' },
    key: { name: 'mediaId', isText: true },
  } as const;
  const found = {
    fields: ['mediaId', 'urlCache', 'uploadName', 'host'],
    shown: (row: Record<string, unknown>): unknown[] => [
      row['mediaId'],
      searchableUrl(textIn(row, 'urlCache'), textIn(row, 'host'), filter),
      row['uploadName'],
    ],
  };
  return {
    ...order,
    conditions: [
      ...createdOf(filter),
      ids && { where: { mediaId: { in: [...ids] } }, servedBy: SORTED },
      // One index at a time: with a host given, the rows of that are looked through.
      typeof owner === 'string' && {
        where: { userId: storableText(owner) },
        servedBy: host ? [] : ['createdTs'],
      },
      contentType && startsWith(engine, 'contentType', contentType),
      fileState && { where: FILE_STATES[fileState] },
      anyContains(engine, found, search),
    ],
  };
}
