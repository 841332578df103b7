import { searchableUrl, type AddressSearch } from '../../base/text/searchable.js';
import { storableText } from '../../base/text/storable-text.js';
import type { Database } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  filteredListing,
  startsWith,
  textIn,
  type CreationFilter,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import type { ListedRow, Listing, Where } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import type { FileState, MediaRecord, MediaRecords } from './media-records.js';

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
  return filteredListing(order, conditions);
}

function found(engine: Database['engine'], search: string, filter: MediaFilter): ListCondition {
  const shown = (row: ListedRow): unknown[] => [
    row['mediaId'],
    searchableUrl(textIn(row, 'urlCache'), textIn(row, 'host'), filter),
    row['uploadName'],
  ];
  return anyContains(engine, { fields: ['mediaId', 'urlCache', 'uploadName', 'host'], shown }, search);
}
