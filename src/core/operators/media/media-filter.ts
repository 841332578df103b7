import type { Database } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  filteredListing,
  shownPart,
  type AddressSearch,
  type CreationFilter,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { containsPattern, rawSql, sql, type Sql } from '../../store/sql/sql.js';
import { storableText } from '../../base/text/storable-text.js';

/** How a media's file stands: there, lost, or removed by the cleanup while its row stays a little longer. */
export type FileState = 'present' | 'missing' | 'removed';

/** Which media is wanted; absent members do not matter. */
export interface MediaFilter extends CreationFilter, AddressSearch {
  /** Part of the media id, the fetched address or the file name. */
  search?: string;
  /** Exact. */
  owner?: string;
  /** Whole type or its beginning, such as `image/`. */
  contentType?: string;
  minBytes?: number;
  fileState?: FileState;
  /** Whether no stored preview uses it. */
  isOrphan?: boolean;
}

/** What media can be sorted by, each with an index. */
export type MediaSortField = 'created' | 'bytes' | 'deletes';

/** An order of media. */
export interface MediaSort {
  field: MediaSortField;
  direction: 'asc' | 'desc';
}

/** All media lives equally long, so what is made first goes first. */
const SORTS = { created: 'created_ts', bytes: 'size_bytes', deletes: 'created_ts' } as const;

const FILE_STATES: Record<FileState, Sql> = {
  present: rawSql('missing_since_ts IS NULL AND file_removed_ts IS NULL'),
  missing: rawSql('missing_since_ts IS NOT NULL AND file_removed_ts IS NULL'),
  removed: rawSql('file_removed_ts IS NOT NULL'),
};

const IS_USED = rawSql(
  `EXISTS (SELECT 1 FROM preview_cache AS p WHERE p.media_id = media.media_id)
    OR EXISTS (SELECT 1 FROM preview_cache AS p WHERE p.image_media_id = media.media_id)`,
);

/** The list of media that a filter lets through. */
export function mediaListing(
  filter: MediaFilter,
  sort: MediaSort,
  engine: Database['engine'],
): KeysetListing {
  const order = {
    table: 'media',
    sort: { column: SORTS[sort.field], kind: 'integer', nullable: false, direction: sort.direction },
    key: { column: 'media_id', kind: 'text' },
  } as const;
  return filteredListing(order, conditionsOf(filter, engine));
}

function conditionsOf(filter: MediaFilter, engine: Database['engine']): ListCondition[] {
  const { search, owner, contentType, host, minBytes, fileState, isOrphan } = filter;
  const conditions = createdOf(filter);
  if (owner !== undefined) {
    // One index at a time: with a host given, the rows of that are looked through.
    const servedBy = host === undefined ? ['created_ts'] : [];
    conditions.push({ sql: sql`user_id = ${storableText(owner)}`, columns: ['user_id'], servedBy });
  }
  if (minBytes !== undefined) {
    const test = sql`size_bytes >= CAST(${BigInt(minBytes)} AS BIGINT)`;
    conditions.push({ sql: test, columns: ['size_bytes'], servedBy: ['size_bytes'] });
  }
  if (contentType !== undefined) conditions.push(typeCondition(contentType, engine));
  if (fileState !== undefined) {
    const columns = ['missing_since_ts', 'file_removed_ts'];
    conditions.push({ sql: FILE_STATES[fileState], columns, servedBy: [] });
  }
  if (isOrphan !== undefined) {
    const test = isOrphan ? sql`NOT (${IS_USED})` : IS_USED;
    conditions.push({ sql: test, columns: ['media_id'], servedBy: [] });
  }
  if (search !== undefined && search !== '') {
    const address = shownPart(engine, 'url_cache', filter);
    const match = anyContains(engine, ['media_id', address, 'upload_name'], storableText(search));
    conditions.push({ ...match, columns: ['media_id', 'url_cache', 'host', 'upload_name'] });
  }
  return conditions;
}

function typeCondition(contentType: string, engine: Database['engine']): ListCondition {
  const like = rawSql(engine === 'sqlite' ? 'LIKE' : 'ILIKE');
  const beginning = containsPattern(storableText(contentType)).slice(1);
  return {
    sql: sql`content_type ${like} ${beginning} ESCAPE '\\'`,
    columns: ['content_type'],
    servedBy: [],
  };
}
