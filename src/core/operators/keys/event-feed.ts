import { storableText } from '../../base/text/storable-text.js';
import { readHostPattern } from '../../base/text/url-host.js';
import type { KeyEventKind } from '../../notary/keys/key-changes.js';
import type { Database } from '../../store/db.js';
import { newestFirst, type KeysetOrder } from '../../store/lists/keyset-cursor.js';
import {
  anyContains,
  filteredListing,
  timeRange,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import { RecordList } from '../../store/lists/record-list.js';
import { listOf, rawSql, sql } from '../../store/sql/sql.js';
import { findEvents, type EventRow } from './event-history.js';
import { onServer } from './server-pattern.js';

/** Which events of all servers; what is null does not matter. */
export interface EventFilter {
  /** Part of the server name. */
  search: string | null;
  /** As `readHostPattern`, on server names: the name exactly, and below it whatever the port. */
  server: string | null;
  kinds: readonly KeyEventKind[] | null;
  /** Alarms that have been acknowledged, or those that wait for it. */
  isAcknowledged: boolean | null;
  fromTs: number | null;
  toTs: number | null;
}

/** The filter that lets everything pass. */
export const ALL_EVENTS: EventFilter = {
  search: null,
  server: null,
  kinds: null,
  isAcknowledged: null,
  fromTs: null,
  toTs: null,
};

/** What happened to the keys of all servers, newest first. */
export function createEventFeed(database: Database): RecordList<EventFilter, number, EventRow> {
  return new RecordList(database, {
    listing: (filter) => filteredListing(orderOf(filter), conditionsOf(filter, database.engine)),
    readKey: Number,
    find: (seqs) => findEvents(database, seqs),
    keyOf: ({ seq }) => seq,
  });
}

const BY_NUMBER = newestFirst('key_event', 'seq');
const BY_TIME: KeysetOrder = { ...BY_NUMBER, sort: { ...BY_NUMBER.sort, column: 'ts' } };

/** One server and one kind have indexes of their own; everything else goes along the time. */
function orderOf({ server, kinds, isAcknowledged, fromTs, toTs }: EventFilter): KeysetOrder {
  const isOneServer = server !== null && !readHostPattern(server).below;
  const isOneKind = kinds?.length === 1 && isAcknowledged === null && fromTs === null && toTs === null;
  return isOneServer || isOneKind ? BY_NUMBER : BY_TIME;
}

function conditionsOf(filter: EventFilter, engine: Database['engine']): ListCondition[] {
  const { search, server, kinds, isAcknowledged } = filter;
  const at = server === null ? [] : [onServer(server, ['seq'])];
  // One index cannot begin with both.
  const hasIndex = at.every(({ servedBy }) => servedBy.length === 0);
  return [
    ...at,
    ...(kinds === null ? [] : [ofKinds(kinds, hasIndex)]),
    ...(search === null ? [] : [anyContains(engine, ['server_name'], storableText(search))]),
    ...(isAcknowledged === null ? [] : [alarms(isAcknowledged)]),
    ...timeRange('ts', filter),
  ];
}

function ofKinds(kinds: readonly KeyEventKind[], hasIndex: boolean): ListCondition {
  const [kind] = kinds;
  if (kinds.length === 1 && kind !== undefined)
    return { sql: sql`kind = ${kind}`, columns: ['kind'], servedBy: hasIndex ? ['seq'] : [] };
  return { sql: sql`kind IN (${listOf(kinds)})`, columns: ['kind'], servedBy: [] };
}

/** Along the servers with open alarms, or along the acknowledgements; other events are not looked at. */
function alarms(isAcknowledged: boolean): ListCondition {
  const [from, where] = isAcknowledged
    ? [rawSql('alarm_acknowledgement'), sql`e.seq BETWEEN s.from_seq AND s.through_seq`]
    : [rawSql('remote_server'), sql`s.alarm_seq IS NOT NULL AND e.seq >= s.alarm_seq`];
  return {
    // CROSS: without statistics SQLite would begin with all alarms there ever were.
    sql: sql`seq IN (SELECT e.seq FROM ${from} s CROSS JOIN key_event e
      WHERE e.alarm = TRUE AND e.server_name = s.server_name AND ${where})`,
    columns: [],
    servedBy: ['ts', 'seq'],
  };
}
