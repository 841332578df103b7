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
    listing: async (filter) => filteredListing(orderOf(filter), await conditionsOf(filter, database)),
    find: (seqs) => findEvents(database, seqs),
    keyOf: ({ seq }) => seq,
  });
}

const BY_NUMBER = newestFirst('keyEvent', 'seq');
const BY_TIME: KeysetOrder = { ...BY_NUMBER, sort: { ...BY_NUMBER.sort, name: 'ts' } };

/** One server and one kind have indexes of their own; everything else goes along the time. */
function orderOf({ server, kinds, isAcknowledged, fromTs, toTs }: EventFilter): KeysetOrder {
  const isOneServer = server !== null && !readHostPattern(server).below;
  const isOneKind = kinds?.length === 1 && isAcknowledged === null && fromTs === null && toTs === null;
  return isOneServer || isOneKind ? BY_NUMBER : BY_TIME;
}

async function conditionsOf(filter: EventFilter, database: Database): Promise<ListCondition[]> {
  const { search, server, kinds, isAcknowledged } = filter;
  const at = server === null ? [] : [onServer(server, ['seq'])];
  // One index cannot begin with both.
  const hasIndex = at.every(({ servedBy }) => servedBy === undefined);
  const [kind] = kinds ?? [];
  return [
    ...at,
    ...(kinds?.length === 1 ? [{ where: { kind }, servedBy: hasIndex ? ['seq'] : [] }] : []),
    ...(kinds !== null && kinds.length !== 1 ? [{ where: { kind: { in: [...kinds] } } }] : []),
    ...(search === null ? [] : [anyContains(database.engine, { fields: ['serverName'] }, search)]),
    ...(isAcknowledged === null ? [] : [await alarms(database, isAcknowledged)]),
    ...timeRange('ts', filter),
  ];
}

/** Servers, acknowledgements and alarms that are looked at, the latest first; alarms that wait are bounded. */
const MAX_ALARMS = 900;

/** Along the servers with open alarms, or along the acknowledgements; other events are not looked at. */
async function alarms({ client }: Database, isAcknowledged: boolean): Promise<ListCondition> {
  const spans = isAcknowledged
    ? await client.alarmAcknowledgement.findMany({ orderBy: { id: 'desc' }, take: MAX_ALARMS })
    : (
        await client.remoteServer.findMany({
          where: { alarmSeq: { not: null } },
          orderBy: { alarmSeq: 'desc' },
          take: MAX_ALARMS,
          select: { serverName: true, alarmSeq: true },
        })
      ).map(({ serverName, alarmSeq }) => ({
        serverName,
        fromSeq: alarmSeq ?? Infinity,
        throughSeq: Infinity,
      }));
  const latest = await client.keyEvent.findMany({
    where: { alarm: true, serverName: { in: [...new Set(spans.map(({ serverName }) => serverName))] } },
    orderBy: { seq: 'desc' },
    take: MAX_ALARMS,
    select: { seq: true, serverName: true },
  });
  const meant = latest.filter(({ seq, serverName }) =>
    spans.some((span) => span.serverName === serverName && span.fromSeq <= seq && seq <= span.throughSeq),
  );
  return { where: { seq: { in: meant.map(({ seq }) => seq) } }, servedBy: ['ts', 'seq'] };
}
