import type { Database } from '../../store/db.js';
import { RecordList } from '../../store/lists/record-list.js';
import { mediaListing, type MediaFilter, type MediaSort } from './media-filter.js';
import type { MediaRecord, MediaRecords } from './media-records.js';

export interface WantedMedia {
  filter: MediaFilter;
  sort: MediaSort;
}

export type MediaList = RecordList<WantedMedia, string, MediaRecord>;

/** Newest first. */
export const DEFAULT_MEDIA_SORT: MediaSort = { field: 'created', direction: 'desc' };

export function createMediaList(database: Database, records: MediaRecords): MediaList {
  return new RecordList(database, {
    listing: ({ filter, sort }) => mediaListing(filter, sort, database),
    find: (mediaIds) => records.find(mediaIds),
    keyOf: ({ mediaId }) => mediaId,
  });
}
