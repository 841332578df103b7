import { KEY_EVENT_SEVERITIES, type KeyEventSeverity } from '../../notary/keys/key-changes.js';
import { isRecord } from '../../base/json/is-record.js';
import { enumColumn } from '../../store/enum-column.js';
import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import { sql } from '../../store/sql/sql.js';
import { eventSentence } from './event-sentences.js';

/** Something that happened to the keys of a server; a row of key_event. */
export interface EventRow {
  seq: number;
  /** POSIX ms. */
  ts: number;
  serverName: string;
  kind: string;
  severity: KeyEventSeverity;
  keyId: string | null;
  /** The record that it came with; `null` when there was none. */
  recordId: number | null;
  detail: Readonly<Record<string, string>>;
  /** Whether somebody has acknowledged the alarm; `null` for events that are none, or whose alarm has given way. */
  isAcknowledged: boolean | null;
  /** One sentence for people. */
  sentence: string;
}

/** Events of a server, newest first. */
export function createEventList(database: Database): RecordList<string, number, EventRow> {
  return new RecordList(database, {
    listing,
    readKey: Number,
    find: (seqs) => findEvents(database, seqs),
    keyOf: ({ seq }) => seq,
  });
}

const severityOf = enumColumn(KEY_EVENT_SEVERITIES, 'info');

function textsOf(column: unknown): Record<string, string> {
  if (!isRecord(column)) return {};
  return Object.fromEntries(Object.entries(column).map(([name, value]) => [name, String(value)]));
}

/** Events by number, in any order. */
export async function findEvents(database: Database, seqs: readonly number[]): Promise<EventRow[]> {
  const rows = await database.client.keyEvent.findMany({ where: { seq: { in: [...seqs] } } });
  const isAcknowledged = await acknowledgements(
    database,
    rows.filter(({ alarm }) => alarm),
  );
  return rows.map(({ seq, ts, serverName, kind, keyId, recordId, ...row }) => {
    const detail = textsOf(row.detail);
    const severity = severityOf(row.severity);
    const sentence = eventSentence({ kind, keyId, detail });
    return {
      seq,
      ts: Number(ts),
      serverName,
      kind,
      severity,
      keyId,
      recordId,
      detail,
      isAcknowledged: isAcknowledged.get(seq) ?? null,
      sentence,
    };
  });
}

/** Of alarms by number: whether somebody has acknowledged them; none of those that gave way. */
async function acknowledgements(
  { client }: Database,
  alarms: readonly { seq: number; serverName: string }[],
): Promise<Map<number, boolean>> {
  if (alarms.length === 0) return new Map();
  const [servers, dropped] = await Promise.all([
    client.remoteServer.findMany({
      where: { serverName: { in: [...new Set(alarms.map(({ serverName }) => serverName))] } },
      select: { serverName: true, alarmSeq: true, acknowledgedSeq: true },
    }),
    client.droppedAlarm.findMany({ where: { seq: { in: alarms.map(({ seq }) => seq) } } }),
  ]);
  const marks = new Map(servers.map((server) => [server.serverName, server]));
  const gone = new Set(dropped.map(({ seq }) => seq));
  const known = new Map<number, boolean>();
  for (const { seq, serverName } of alarms) {
    const { alarmSeq, acknowledgedSeq } = marks.get(serverName) ?? {};
    if (seq >= (alarmSeq ?? Infinity)) known.set(seq, false);
    else if (seq <= (acknowledgedSeq ?? -1) && !gone.has(seq)) known.set(seq, true);
  }
  return known;
}

function listing(serverName: string): KeysetListing {
  const indexed = [sql`server_name = ${serverName}`];
  return { ...newestFirst('key_event', 'seq'), columns: [], indexed, residual: [] };
}
