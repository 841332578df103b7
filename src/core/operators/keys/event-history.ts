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
  const alarmed = rows.filter(({ alarm }) => alarm).map(({ serverName }) => serverName);
  const marks = await findMarks(database, alarmed);
  return rows.map(({ seq, ts, serverName, kind, keyId, recordId, ...row }) => {
    const detail = textsOf(row.detail);
    const severity = severityOf(row.severity);
    const sentence = eventSentence({ kind, keyId, detail });
    const isAcknowledged = row.alarm ? acknowledgedAt(seq, marks.get(serverName)) : null;
    return {
      seq,
      ts: Number(ts),
      serverName,
      kind,
      severity,
      keyId,
      recordId,
      detail,
      isAcknowledged,
      sentence,
    };
  });
}

/** Of a server: the first of its alarms that wait, and up to which event they were acknowledged. */
interface AlarmMarks {
  alarmSeq: number | null;
  acknowledgedSeq: number | null;
}

function acknowledgedAt(seq: number, marks: AlarmMarks | undefined): boolean | null {
  if (seq >= (marks?.alarmSeq ?? Infinity)) return false;
  return seq <= (marks?.acknowledgedSeq ?? -1) ? true : null;
}

async function findMarks(
  { client }: Database,
  serverNames: readonly string[],
): Promise<Map<string, AlarmMarks>> {
  if (serverNames.length === 0) return new Map();
  const rows = await client.remoteServer.findMany({
    where: { serverName: { in: [...new Set(serverNames)] } },
    select: { serverName: true, alarmSeq: true, acknowledgedSeq: true },
  });
  return new Map(rows.map(({ serverName, ...marks }) => [serverName, marks]));
}

function listing(serverName: string): KeysetListing {
  const indexed = [sql`server_name = ${serverName}`];
  return { ...newestFirst('key_event', 'seq'), columns: [], indexed, residual: [] };
}
