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
  return rows.map(({ seq, ts, serverName, kind, keyId, recordId, ...row }) => {
    const detail = textsOf(row.detail);
    const severity = severityOf(row.severity);
    const sentence = eventSentence({ kind, keyId, detail });
    return { seq, ts: Number(ts), serverName, kind, severity, keyId, recordId, detail, sentence };
  });
}

function listing(serverName: string): KeysetListing {
  const indexed = [sql`server_name = ${serverName}`];
  return { ...newestFirst('key_event', 'seq'), columns: [], indexed, residual: [] };
}
