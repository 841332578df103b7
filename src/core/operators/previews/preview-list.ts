import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import { RecordList } from '../../store/lists/record-list.js';
import { previewListing, type PreviewFilter, type PreviewSort } from './preview-filter.js';
import type { PreviewRecord, PreviewRecords } from './preview-records.js';

export interface WantedPreviews {
  filter: PreviewFilter;
  sort: PreviewSort;
}

export type PreviewList = RecordList<WantedPreviews, number, PreviewRecord>;

/** Newest first. */
export const DEFAULT_PREVIEW_SORT: PreviewSort = { field: 'created', direction: 'desc' };

export function createPreviewList(database: Database, records: PreviewRecords, clock: Clock): PreviewList {
  return new RecordList(database, {
    listing: ({ filter, sort }) =>
      previewListing(filter, sort, { engine: database.engine, nowTs: clock.now() }),
    find: (ids) => records.find(ids),
    keyOf: ({ id }) => id,
  });
}
