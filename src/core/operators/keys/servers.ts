import { storableText, textOf } from '../../base/text/strings.js';
import { isHostMeant, readHostPattern } from '../../base/text/url.js';
import type { Database, RemoteServerRow } from '../../store/db.js';
import type { KeysetOrder } from '../../store/lists/keyset-cursor.js';
import {
  anyContains,
  keeping,
  timeRange,
  type FilterTime,
  type ListCondition,
  type ListConditions,
} from '../../store/lists/keyset-filter.js';
import { type Listing, RecordList } from '../../store/lists/record-list.js';
import { type PlainRow, plainRow } from '../../store/plain-row.js';
import { type FailureCause, namedReasons, reasonsOf } from './failure-cause.js';

/** What lists show of a remote server. */
export type ServerRow = PlainRow<RemoteServerRow>;

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
export async function findServers(
  { client }: Database,
  serverNames: readonly string[],
): Promise<ServerRow[]> {
  return (await client.remoteServer.findMany({ where: { serverName: { in: [...serverNames] } } })).map(
    plainRow,
  );
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

/** Which servers; absent members do not matter. */
export interface ServerFilter {
  /** Part of the name. */
  search?: string | null;
  /** As `readHostPattern`, on server names: the name exactly, and below it whatever the port. */
  server?: string | null;
  /** Of the newest record. */
  state?: KeyState | null;
  /** Whether the last fetch failed. */
  failing?: boolean | null;
  /** Why its last fetch failed. */
  cause?: FailureCause | null;
  /** Whether a replaced key waits for somebody to acknowledge it. */
  needsLook?: boolean | null;
  federationAllowed?: boolean | null;
  /** The newest record ends before this time. */
  validUntilBefore?: FilterTime;
}

export type ServerSortField = keyof typeof FIELDS;

export interface ServerListing {
  filter: ServerFilter;
  /** Absent: by name. */
  sortBy?: ServerSortField | null;
  direction?: 'asc' | 'desc' | null;
  /** Setting federation_domain_whitelist; `null` when it is not configured. */
  whitelist: ReadonlySet<string> | null;
  nowTs: number;
}

/** Remote servers for operators. */
export function serverList(database: Database): RecordList<ServerListing, string, ServerRow> {
  return new RecordList(database, {
    listing: (wanted) => listingOf(wanted, database.engine),
    find: (serverNames) => findServers(database, serverNames),
    keyOf: ({ serverName }) => serverName,
  });
}

const FIELDS = {
  serverName: { isText: true },
  validUntilTs: { isNullable: true },
  addedTs: { isNullable: true },
  lastFetchTs: { isNullable: true },
} as const;

/** A name is one row, whatever the order. */
const SORT_FIELDS = Object.keys(FIELDS);

function listingOf(listing: ServerListing, engine: Database['engine']): Listing {
  const { filter, nowTs, whitelist } = listing;
  const name = listing.sortBy ?? 'serverName';
  const order: KeysetOrder = {
    model: 'remoteServer',
    sort: { name, ...FIELDS[name], direction: listing.direction ?? 'asc' },
    key: { name: 'serverName', isText: true },
  };
  const { search, state, failing = null, cause, needsLook = null, federationAllowed = null } = filter;
  const server = textOf(filter.server);
  return {
    ...order,
    conditions: [
      anyContains(engine, { fields: ['serverName'] }, search),
      server && onServer(server, SORT_FIELDS),
      ...(state ? stateIs(state, nowTs) : []),
      failing !== null && { where: { failCount: failing ? { gt: 0 } : 0 } },
      cause && { where: { lastErrorReason: failedFor(cause) } },
      needsLook !== null && { where: { alarmSeq: needsLook ? { not: null } : null } },
      federationAllowed !== null && allowed(federationAllowed, whitelist),
      timeRange('validUntilTs', null, filter.validUntilBefore),
    ],
  };
}

/** As `keyStateOf` judges. */
function stateIs(state: KeyState, nowTs: number): ListConditions {
  if (state === 'expired') return [timeRange('validUntilTs', null, nowTs)];
  const due = state === 'due' ? timeRange('dueTs', null, nowTs) : timeRange('dueTs', nowTs, null);
  return [timeRange('validUntilTs', nowTs, null), due];
}

function failedFor(cause: FailureCause): { in: string[] } | { notIn: string[]; not: null } {
  return cause === 'other' ? { notIn: namedReasons(), not: null } : { in: [...reasonsOf(cause)] };
}

function allowed(isAllowed: boolean, whitelist: ReadonlySet<string> | null): ListCondition | null {
  if (whitelist === null)
    return isAllowed ? null : { where: { serverName: { in: [] } }, servedBy: SORT_FIELDS };
  if (isAllowed) return { where: { serverName: { in: [...whitelist] } }, servedBy: ['serverName'] };
  return {
    where: {},
    ...keeping(['serverName'], ({ serverName }) => !whitelist.has(String(serverName))),
  };
}
