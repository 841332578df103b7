import { ALARM_KINDS, KEY_EVENT_SEVERITIES, type KeyEventSeverity } from '../../notary/keys/key-changes.js';
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
  /** Whether somebody has acknowledged the alarm; `null` for events that are none. */
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
  const alarms = rows.filter(({ kind }) => isAlarm(kind)).map(({ serverName }) => serverName);
  const open = await firstOpenAlarms(database, alarms);
  return rows.map(({ seq, ts, serverName, kind, keyId, recordId, ...row }) => {
    const detail = textsOf(row.detail);
    const severity = severityOf(row.severity);
    const sentence = eventSentence({ kind, keyId, detail });
    const isAcknowledged = isAlarm(kind) ? seq < (open.get(serverName) ?? Infinity) : null;
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

function isAlarm(kind: string): boolean {
  return ALARM_KINDS.some((known) => known === kind);
}

/** The first event of each server whose alarm nobody has acknowledged. */
async function firstOpenAlarms(
  { client }: Database,
  serverNames: readonly string[],
): Promise<Map<string, number>> {
  if (serverNames.length === 0) return new Map();
  const rows = await client.remoteServer.findMany({
    where: { serverName: { in: [...new Set(serverNames)] } },
    select: { serverName: true, alarmSeq: true },
  });
  return new Map(rows.flatMap((row) => (row.alarmSeq === null ? [] : [[row.serverName, row.alarmSeq]])));
}

function listing(serverName: string): KeysetListing {
  const indexed = [sql`server_name = ${serverName}`];
  return { ...newestFirst('key_event', 'seq'), columns: [], indexed, residual: [] };
}
