import { isRecord } from '../../base/json/is-record.js';
import { printable, quoteForDetail, textOf, timeText } from '../../base/text/strings.js';
import { KEY_EVENT_KINDS, KEY_EVENT_SEVERITIES, type KeyEventKind } from '../../notary/keys/key-changes.js';
import type { Database } from '../../store/db.js';
import { enumColumn } from '../../store/enum-column.js';
import { type KeysetOrder, newestFirst } from '../../store/lists/keyset-cursor.js';
import {
  anyContains,
  timeRange,
  type FilterTime,
  type ListCondition,
} from '../../store/lists/keyset-filter.js';
import { type Listing, RecordList } from '../../store/lists/record-list.js';
import { plainRow } from '../../store/plain-row.js';
import { type Acknowledgement, findAcknowledgements, firstAlarms, MAX_ALARMS } from './key-alarms.js';
import { onServer } from './servers.js';

/** What a sentence is made of. Key IDs and details are untrusted text. */
export interface EventFacts {
  kind: string;
  keyId: string | null;
  detail: Readonly<Record<string, string>>;
}

/** What happened to the keys of a server, in one sentence for people; unknown kinds are named as they are. */
export function eventSentence(event: EventFacts): string {
  const write = SENTENCES.get(event.kind);
  return write === undefined ? event.kind.replaceAll('_', ' ') : write(event);
}

const key = ({ keyId }: EventFacts): string => `The key ${quoteForDetail(keyId ?? '')}`;

const SENTENCES: ReadonlyMap<string, (event: EventFacts) => string> = new Map([
  ['server_first_seen', ({ detail }) => `The first record was stored, with ${countedKeys(detail['keys'])}.`],
  [
    'key_added',
    (event) =>
      event.detail['state'] === 'old'
        ? `${key(event)} appeared, already retired.`
        : `${key(event)} appeared.`,
  ],
  ['key_removed', (event) => `${key(event)} is no longer listed.`],
  [
    'key_retired',
    (event) =>
      `${key(event)} was retired; it proves nothing signed after ${date(event.detail['expired_ts'])}.`,
  ],
  ['key_reinstated', (event) => `${key(event)} is in use again after it was retired.`],
  ['key_replaced', (event) => `${key(event)} was replaced by another key under the same ID.`],
  ['key_unproven', (event) => `${key(event)} is listed but did not sign the record.`],
  [
    'validity_went_backwards',
    ({ detail }) =>
      `The new record expires earlier than the one before: ${date(detail['to'])} instead of ${date(detail['from'])}.`,
  ],
  ['record_refused', ({ detail }) => `A record was refused: ${printable(detail['message'] ?? '')}.`],
  [
    'weak_key_refused',
    ({ detail }) => `A record was refused for a weak key: ${printable(detail['message'] ?? '')}.`,
  ],
  [
    'banned_key_refused',
    ({ detail }) =>
      `A record was refused because the private key is public knowledge: ${printable(detail['message'] ?? '')}.`,
  ],
  ['record_deleted', ({ detail }) => `An operator deleted the record with ${countedKeys(detail['keys'])}.`],
]);

function countedKeys(count: string | undefined): string {
  return count === '1' ? '1 key' : `${count ?? 'several'} keys`;
}

function date(text: string | undefined): string {
  return text === undefined ? 'an unknown time' : timeText(text);
}

const kindOf = enumColumn(KEY_EVENT_KINDS, 'record_refused');
const severityOf = enumColumn(KEY_EVENT_SEVERITIES, 'info');

function textsOf(column: unknown): Record<string, string> {
  if (!isRecord(column)) return {};
  return Object.fromEntries(Object.entries(column).map(([name, value]) => [name, String(value)]));
}

/** Something that happened to the keys of a server. */
export type EventRow = Awaited<ReturnType<typeof findEvents>>[number];

/** Events by number, in any order. */
export async function findEvents(database: Database, seqs: readonly number[]) {
  const rows = await database.client.keyEvent.findMany({ where: { seq: { in: [...seqs] } } });
  const servers = [...new Set(rows.flatMap(({ alarm, serverName }) => (alarm ? [serverName] : [])))];
  const acknowledged = servers.length === 0 ? [] : await findAcknowledgements(database, servers);
  const opened = servers.length === 0 ? [] : await firstAlarms(database, servers);
  const open = new Map(opened.map(({ serverName, fromSeq }) => [serverName, fromSeq]));
  return rows.map(({ alarm, ...row }) => {
    const { seq, serverName, kind, keyId } = row;
    const detail = textsOf(row.detail);
    const covers = (each: Acknowledgement): boolean =>
      alarm && each.serverName === serverName && each.fromSeq <= seq && seq <= each.throughSeq;
    const acknowledgement = acknowledged.find(covers) ?? null;
    const isOpen = alarm && seq >= (open.get(serverName) ?? Infinity);
    return {
      ...plainRow(row),
      kind: kindOf(kind),
      severity: severityOf(row.severity),
      detail,
      /** `null` for events that are no alarms, or no longer. */
      acknowledged: acknowledgement === null ? (isOpen ? false : null) : true,
      acknowledgement,
      /** One sentence for people. */
      message: eventSentence({ kind, keyId, detail }),
    };
  });
}

/** Which events of all servers; absent members do not matter. */
export interface EventFilter {
  /** Part of the server name. */
  search?: string | null;
  /** As `readHostPattern`, on server names: the name exactly, and below it whatever the port. */
  server?: string | null;
  kinds?: readonly KeyEventKind[] | null;
  /** Alarms that have been acknowledged, or those that wait for it. */
  acknowledged?: boolean | null;
  after?: FilterTime;
  before?: FilterTime;
}

/** What happened to the keys of all servers, newest first. */
export function eventList(database: Database): RecordList<EventFilter, number, EventRow> {
  return new RecordList(database, {
    listing: (filter) => listingOf(filter, database),
    find: (seqs) => findEvents(database, seqs),
    keyOf: ({ seq }) => seq,
  });
}

const BY_NUMBER = newestFirst('keyEvent', 'seq');
const BY_TIME: KeysetOrder = { ...BY_NUMBER, sort: { ...BY_NUMBER.sort, name: 'ts' } };

/** One server and one kind have indexes of their own; everything else goes along the time. */
async function listingOf(filter: EventFilter, database: Database): Promise<Listing> {
  const { search, acknowledged = null, after = null, before = null } = filter;
  const [kind, ...others] = new Set(filter.kinds);
  const server = textOf(filter.server);
  const at = server === null ? null : onServer(server, ['seq']);
  const isOneServer = at?.servedBy !== undefined;
  const isOneKind = kind !== undefined && others.length === 0;
  const isKindAlone = isOneKind && acknowledged === null && after === null && before === null;
  return {
    ...(isOneServer || isKindAlone ? BY_NUMBER : BY_TIME),
    conditions: [
      at,
      // One index cannot begin with both.
      isOneKind && { where: { kind }, servedBy: isOneServer ? [] : ['seq'] },
      others.length > 0 && { where: { kind: { in: [kind, ...others] } } },
      anyContains(database.engine, { fields: ['serverName'] }, search),
      acknowledged !== null && (await alarms(database, acknowledged)),
      timeRange('ts', after, before),
    ],
  };
}

/** Along the servers with open alarms, or along the acknowledgements; other events are not looked at. */
async function alarms(database: Database, isAcknowledged: boolean): Promise<ListCondition> {
  const { client } = database;
  const spans: Pick<Acknowledgement, 'serverName' | 'fromSeq' | 'throughSeq'>[] = isAcknowledged
    ? await client.alarmAcknowledgement.findMany({ orderBy: { id: 'desc' }, take: MAX_ALARMS })
    : (await firstAlarms(database)).map((first) => ({ ...first, throughSeq: Infinity }));
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
