import { storableText } from '../../base/text/strings.js';
import { isHostMeant, readHostPattern } from '../../base/text/url.js';
import type { ServerHealth } from '../../notary/keys/fetch-store.js';
import type { Database } from '../../store/db.js';
import type { KeysetOrder } from '../../store/lists/keyset-cursor.js';
import { anyContains, keeping, type ListCondition, timeRange } from '../../store/lists/keyset-filter.js';
import { RecordList, type Listing } from '../../store/lists/record-list.js';
import { type FailureCause, namedReasons, reasonsOf } from './failure-cause.js';

/** What lists show of a remote server; a row of remote_server. Times are POSIX ms. */
export interface ServerRow extends ServerHealth {
  serverName: string;
  /** Of the newest record; null without one. `validUntilTs` is clamped to 2^53-1. */
  addedTs: number | null;
  validUntilTs: number | null;
  /** Half-way point of the newest record (SPEC §4.4.4). */
  dueTs: number | null;
  /** Key IDs that are answered. */
  keyCount: number;
  /** The first event about a replaced key that nobody has acknowledged. */
  alarmSeq: number | null;
}

/** `due`: past the half-way point, the next query fetches anew. `expired`: past `valid_until_ts`. */
export type KeyState = 'fresh' | 'due' | 'expired';

/** State of the newest record of a server, or of any record; null without one. */
export function keyStateOf(
  { validUntilTs, dueTs }: Pick<ServerRow, 'validUntilTs' | 'dueTs'>,
  nowTs: number,
): KeyState | null {
  if (validUntilTs === null || dueTs === null) return null;
  if (validUntilTs < nowTs) return 'expired';
  return dueTs < nowTs ? 'due' : 'fresh';
}

/** The servers of these names, in any order; those nobody asked about are absent. */
export async function findServers(database: Database, serverNames: readonly string[]): Promise<ServerRow[]> {
  const rows = await database.client.remoteServer.findMany({
    where: { serverName: { in: [...serverNames] } },
  });
  return rows.map((row) => ({
    ...row,
    firstAskedTs: Number(row.firstAskedTs),
    lastFetchTs: numberOf(row.lastFetchTs),
    lastOkTs: numberOf(row.lastOkTs),
    nextTryTs: Number(row.nextTryTs),
    addedTs: numberOf(row.addedTs),
    validUntilTs: numberOf(row.validUntilTs),
    dueTs: numberOf(row.dueTs),
  }));
}

function numberOf(ts: bigint | null): number | null {
  return ts === null ? null : Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}

const PORT = /:\d+$/;

/**
 * Rows of the servers that are meant, as `readHostPattern`: a name exactly, and those below one whatever their port.
 * `servedBy`: the orders whose index finds one server.
 */
export function onServer(text: string, servedBy: readonly string[]): ListCondition {
  const pattern = readHostPattern(storableText(text));
  if (!pattern.below) return { where: { serverName: storableText(text.trim()) }, servedBy };
  const isMeant = ({ serverName }: Record<string, unknown>): boolean =>
    isHostMeant(pattern, String(serverName).toLowerCase().replace(PORT, ''));
  return { where: { serverName: { contains: pattern.name } }, ...keeping(['serverName'], isMeant) };
}

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
    find: (serverNames) => findServers(database, serverNames),
    keyOf: ({ serverName }) => serverName,
  });
}

const FIELDS: Record<ServerSortField, { name: string; kind: 'text' | 'integer'; nullable: boolean }> = {
  name: { name: 'serverName', kind: 'text', nullable: false },
  valid_until: { name: 'validUntilTs', kind: 'integer', nullable: true },
  added_at: { name: 'addedTs', kind: 'integer', nullable: true },
  last_fetch: { name: 'lastFetchTs', kind: 'integer', nullable: true },
};

/** A name is one row, whatever the order. */
const SORT_FIELDS = Object.values(FIELDS).map(({ name }) => name);

function keyset({ engine }: Database, listing: ServerListing): Listing {
  const { sort, filter, nowTs, whitelist } = listing;
  const order: KeysetOrder = {
    model: 'remoteServer',
    sort: { ...FIELDS[sort.field], direction: sort.direction },
    key: { name: 'serverName', kind: 'text' },
  };
  const { search, server, state, isFailing, cause, needsLook, isAllowed, validUntilBeforeTs } = filter;
  const conditions = [
    ...(search === null ? [] : [anyContains(engine, { fields: ['serverName'] }, search)]),
    ...(server === null ? [] : [onServer(server, SORT_FIELDS)]),
    ...(state === null ? [] : stateIs(state, nowTs)),
    ...(isFailing === null ? [] : [{ where: { failCount: isFailing ? { gt: 0 } : 0 } }]),
    ...(cause === null ? [] : [{ where: { lastErrorReason: failedFor(cause) } }]),
    ...(needsLook === null ? [] : [{ where: { alarmSeq: needsLook ? { not: null } : null } }]),
    ...(isAllowed === null ? [] : allowed(isAllowed, whitelist)),
    ...timeRange('validUntilTs', { fromTs: null, toTs: validUntilBeforeTs }),
  ];
  return { ...order, conditions };
}

/** As `keyStateOf` judges. */
function stateIs(state: KeyState, nowTs: number): ListCondition[] {
  if (state === 'expired') return timeRange('validUntilTs', { fromTs: null, toTs: nowTs });
  const due = state === 'due' ? { fromTs: null, toTs: nowTs } : { fromTs: nowTs, toTs: null };
  return [...timeRange('validUntilTs', { fromTs: nowTs, toTs: null }), ...timeRange('dueTs', due)];
}

function failedFor(cause: FailureCause): { in: string[] } | { notIn: string[]; not: null } {
  return cause === 'other' ? { notIn: namedReasons(), not: null } : { in: [...reasonsOf(cause)] };
}

function allowed(isAllowed: boolean, whitelist: ReadonlySet<string> | null): ListCondition[] {
  if (isAllowed) {
    if (whitelist === null) return [];
    return [{ where: { serverName: { in: [...whitelist] } }, servedBy: ['serverName'] }];
  }
  if (whitelist === null) return [{ where: { serverName: { in: [] } }, servedBy: SORT_FIELDS }];
  return [
    {
      where: {},
      ...keeping(['serverName'], ({ serverName }) => !whitelist.has(String(serverName))),
    },
  ];
}
