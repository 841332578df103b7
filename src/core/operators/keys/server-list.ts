import type { Database } from '../../store/db.js';
import {
  anyContains,
  filteredListing,
  timeRange,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import type { KeysetOrder } from '../../store/lists/keyset-cursor.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import { listOf, rawSql, sql, tupleListOf } from '../../store/sql/sql.js';
import { storableText } from '../../base/text/storable-text.js';
import { namedReasons, reasonsOf, type FailureCause } from './failures/failure-cause.js';
import { onServer } from './server-pattern.js';
import { findServers, type KeyState, type ServerRow } from './server-row.js';

/** Which servers; what is null does not matter. */
export interface ServerFilter {
  /** Part of the name. */
  search: string | null;
  /** As `readHostPattern`, on server names: the name exactly, and below it whatever the port. */
  server: string | null;
  /** Of the newest record. */
  state: KeyState | null;
  /** Whether the last fetch failed. */
  isFailing: boolean | null;
  /** Why its last fetch failed. */
  cause: FailureCause | null;
  /** Whether a replaced key waits for somebody to acknowledge it. */
  needsLook: boolean | null;
  /** Whether the whitelist allows fetching. */
  isAllowed: boolean | null;
  /** The newest record ends before this time, POSIX ms. */
  validUntilBeforeTs: number | null;
}

export type ServerSortField = 'name' | 'valid_until' | 'added_at' | 'last_fetch';

export interface ServerListing {
  filter: ServerFilter;
  sort: { field: ServerSortField; direction: 'asc' | 'desc' };
  /** Setting federation_domain_whitelist; `null` when it is not configured. */
  whitelist: ReadonlySet<string> | null;
  nowTs: number;
}

/** The filter that lets everything pass. */
export const ALL_SERVERS: ServerFilter = {
  search: null,
  server: null,
  state: null,
  isFailing: null,
  cause: null,
  needsLook: null,
  isAllowed: null,
  validUntilBeforeTs: null,
};

/** Remote servers for operators. */
export function createServerList(database: Database): RecordList<ServerListing, string, ServerRow> {
  return new RecordList(database, {
    listing: (wanted) => keyset(database, wanted),
    readKey: String,
    find: (serverNames) => findServers(database, serverNames),
    keyOf: ({ serverName }) => serverName,
  });
}

const COLUMNS: Record<ServerSortField, { column: string; kind: 'text' | 'integer'; nullable: boolean }> = {
  name: { column: 'server_name', kind: 'text', nullable: false },
  valid_until: { column: 'valid_until_ts', kind: 'integer', nullable: true },
  added_at: { column: 'added_ts', kind: 'integer', nullable: true },
  last_fetch: { column: 'last_fetch_ts', kind: 'integer', nullable: true },
};

/** A name is one row, whatever the order. */
const SORT_COLUMNS = Object.values(COLUMNS).map(({ column }) => column);

function keyset({ engine }: Database, listing: ServerListing): KeysetListing {
  const { sort, filter, nowTs, whitelist } = listing;
  const order: KeysetOrder = {
    table: 'remote_server',
    sort: { ...COLUMNS[sort.field], direction: sort.direction },
    key: { column: 'server_name', kind: 'text' },
  };
  return filteredListing(order, [
    ...(filter.search === null ? [] : [anyContains(engine, ['server_name'], storableText(filter.search))]),
    ...(filter.server === null ? [] : [onServer(filter.server, SORT_COLUMNS)]),
    ...(filter.state === null ? [] : stateIs(filter.state, nowTs)),
    ...(filter.isFailing === null ? [] : [failing(filter.isFailing)]),
    ...(filter.cause === null ? [] : [failedFor(filter.cause)]),
    ...(filter.needsLook === null ? [] : [alarmed(filter.needsLook)]),
    ...(filter.isAllowed === null ? [] : allowed(filter.isAllowed, whitelist)),
    ...timeRange('valid_until_ts', { fromTs: null, toTs: filter.validUntilBeforeTs }),
  ]);
}

/** As `keyStateOf` judges. */
function stateIs(state: KeyState, nowTs: number): ListCondition[] {
  if (state === 'expired') return timeRange('valid_until_ts', { fromTs: null, toTs: nowTs });
  const due = state === 'due' ? { fromTs: null, toTs: nowTs } : { fromTs: nowTs, toTs: null };
  return [...timeRange('valid_until_ts', { fromTs: nowTs, toTs: null }), ...timeRange('due_ts', due)];
}

function failing(isFailing: boolean): ListCondition {
  const operator = rawSql(isFailing ? '>' : '=');
  return { sql: sql`fail_count ${operator} 0`, columns: ['fail_count'], servedBy: [] };
}

function failedFor(cause: FailureCause): ListCondition {
  const reason = rawSql('last_error_reason');
  const test =
    cause === 'other'
      ? sql`${reason} IS NOT NULL AND ${reason} NOT IN (${listOf(namedReasons())})`
      : sql`${reason} IN (${listOf(reasonsOf(cause))})`;
  return { sql: test, columns: ['last_error_reason'], servedBy: [] };
}

function alarmed(isAlarmed: boolean): ListCondition {
  const alarm = rawSql(isAlarmed ? 'alarm_seq IS NOT NULL' : 'alarm_seq IS NULL');
  return { sql: alarm, columns: ['alarm_seq'], servedBy: [] };
}

function allowed(isAllowed: boolean, whitelist: ReadonlySet<string> | null): ListCondition[] {
  const nobody = { sql: rawSql('1 = 0'), columns: [], servedBy: ['server_name'] };
  if (whitelist === null) return isAllowed ? [] : [nobody];
  if (whitelist.size === 0) return isAllowed ? [nobody] : [];
  const names = [...whitelist];
  const columns = ['server_name'];
  if (isAllowed) return [{ sql: sql`server_name IN (${listOf(names)})`, columns, servedBy: ['server_name'] }];
  // PostgreSQL compares each row with each value of a plain list, in a plan it keeps; rows of values it hashes.
  return [{ sql: sql`server_name NOT IN (VALUES ${tupleListOf(names)})`, columns, servedBy: [] }];
}
