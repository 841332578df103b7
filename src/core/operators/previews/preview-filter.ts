import type { Database } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  filteredListing,
  shownPart,
  shownSentence,
  timeRange,
  type AddressSearch,
  type CreationFilter,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { rawSql, sql } from '../../store/sql/sql.js';
import { storableText } from '../../base/text/storable-text.js';

/** Which stored previews are wanted; absent members do not matter. */
export interface PreviewFilter extends CreationFilter, AddressSearch {
  /** Part of the address, as it is shown, or the title. */
  search?: string;
  state?: 'fresh' | 'expired';
  responseCode?: number;
  hasImage?: boolean;
  /** Whether the answer is `{}`. */
  isEmpty?: boolean;
}

/** What stored previews can be sorted by, each with an index. */
export type PreviewSortField = 'created' | 'expires' | 'url' | 'responseCode';

/** An order of stored previews. */
export interface PreviewSort {
  field: PreviewSortField;
  direction: 'asc' | 'desc';
}

const SORTS = {
  created: { column: 'created_ts', kind: 'integer' },
  expires: { column: 'expires_ts', kind: 'integer' },
  url: { column: 'url_key', kind: 'text' },
  responseCode: { column: 'response_code', kind: 'integer' },
} as const;

/** The list of stored previews that a filter lets through; `nowTs` decides what is fresh. */
export function previewListing(
  filter: PreviewFilter,
  sort: PreviewSort,
  { engine, nowTs }: { engine: Database['engine']; nowTs: number },
): KeysetListing {
  const order = {
    table: 'preview_cache',
    sort: { ...SORTS[sort.field], nullable: false, direction: sort.direction },
    key: { column: 'id', kind: 'integer' },
  } as const;
  return filteredListing(order, conditionsOf(filter, engine, nowTs));
}

function conditionsOf(filter: PreviewFilter, engine: Database['engine'], nowTs: number): ListCondition[] {
  const { search, state, responseCode, hasImage, isEmpty } = filter;
  const conditions = createdOf(filter);
  if (state !== undefined) {
    const range = state === 'fresh' ? { fromTs: nowTs + 1, toTs: null } : { fromTs: null, toTs: nowTs + 1 };
    conditions.push(...timeRange('expires_ts', range));
  }
  if (responseCode !== undefined) {
    conditions.push({
      sql: sql`response_code = ${BigInt(responseCode)}`,
      columns: ['response_code'],
      servedBy: ['response_code'],
    });
  }
  if (hasImage !== undefined) {
    const test = hasImage ? 'image_media_id IS NOT NULL' : 'image_media_id IS NULL';
    conditions.push({ sql: rawSql(test), columns: ['image_media_id'], servedBy: [] });
  }
  if (isEmpty !== undefined) {
    conditions.push({
      sql: rawSql(isEmpty ? 'is_empty' : 'NOT is_empty'),
      columns: ['is_empty'],
      servedBy: [],
    });
  }
  if (search !== undefined && search !== '') {
    const columns = [shownPart(engine, 'url', filter), shownSentence('title', filter)];
    const match = anyContains(engine, columns, storableText(search));
    conditions.push({ ...match, columns: ['url', 'host', 'title'] });
  }
  return conditions;
}
