import { searchableText, searchableUrl, type AddressSearch } from '../../base/text/searchable.js';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  filteredListing,
  textIn,
  timeRange,
  type CreationFilter,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import type { ListedRow, Listing } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import type { PreviewRecord, PreviewRecords } from './preview-records.js';

/** Which stored previews are wanted; absent members do not matter. */
export interface PreviewFilter extends CreationFilter, AddressSearch {
  ids?: readonly number[];
  /** Part of the address, as it is shown, or the title. */
  search?: string;
  state?: 'fresh' | 'expired';
  responseCode?: number;
  hasImage?: boolean;
  /** Whether the answer is `{}`. */
  isEmpty?: boolean;
}

/** What stored previews can be sorted by, each with an index. */
export type PreviewSortField = 'created' | 'expires';

/** An order of stored previews. */
export interface PreviewSort {
  field: PreviewSortField;
  direction: 'asc' | 'desc';
}

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

const SORTS = { created: 'createdTs', expires: 'expiresTs' } as const;

/** The list of stored previews that a filter lets through; `nowTs` decides what is fresh. */
function previewListing(
  filter: PreviewFilter,
  sort: PreviewSort,
  { engine, nowTs }: { engine: Database['engine']; nowTs: number },
): Listing {
  const { ids, search = '', state, responseCode, hasImage, isEmpty } = filter;
  const conditions: ListCondition[] = createdOf(filter);
  if (ids !== undefined) conditions.push({ where: { id: { in: [...ids] } }, servedBy: Object.values(SORTS) });
  if (state !== undefined) {
    const range = state === 'fresh' ? { fromTs: nowTs + 1, toTs: null } : { fromTs: null, toTs: nowTs + 1 };
    conditions.push(...timeRange('expiresTs', range));
  }
  if (responseCode !== undefined) conditions.push({ where: { responseCode } });
  if (hasImage !== undefined) conditions.push({ where: { imageMediaId: hasImage ? { not: null } : null } });
  if (isEmpty !== undefined) conditions.push({ where: { isEmpty } });
  if (search !== '') {
    const shown = (row: ListedRow): string[] => [
      searchableUrl(textIn(row, 'url'), textIn(row, 'host'), filter),
      searchableText(textIn(row, 'title'), filter),
    ];
    conditions.push(anyContains(engine, { fields: ['url', 'title', 'host'], shown }, search));
  }
  const order = {
    model: 'previewCache',
    sort: { name: SORTS[sort.field], kind: 'integer', nullable: false, direction: sort.direction },
    key: { name: 'id', kind: 'integer' },
  } as const;
  return filteredListing(order, conditions);
}
