import { insertRows, type InsertRow } from '../../store/sql/insert-rows.js';
import { sql } from '../../store/sql/sql.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { storableJsonText } from '../../base/text/storable-text.js';
import type { KeyEventDraft } from './key-changes.js';

/** Where and when a batch of key events happened. */
export interface KeyEventBatch {
  serverName: string;
  ts: number;
  /** The record that caused them; `null` for refused ones, which are not stored. */
  recordId: number | null;
  events: readonly KeyEventDraft[];
}

/** Appends events to key_event, inside the caller's transaction. */
export async function appendKeyEvents(runner: SqlRunner, batches: readonly KeyEventBatch[]): Promise<void> {
  await insertRows(runner, { table: 'key_event' }, batches.flatMap(rowsOf));
  const replaced = batches.filter(({ events }) => events.some(({ kind }) => kind === 'key_replaced'));
  for (const { serverName, ts } of replaced) await raiseAlarm(runner, serverName, ts);
}

/** A replaced key is an alarm until somebody acknowledges it; the first one stays until then. */
async function raiseAlarm(runner: SqlRunner, serverName: string, ts: number): Promise<void> {
  await runner.execute(sql`UPDATE remote_server SET alarm_seq = (
      SELECT MIN(seq) FROM key_event
      WHERE server_name = ${serverName} AND kind = 'key_replaced' AND ts = ${BigInt(ts)})
    WHERE server_name = ${serverName} AND alarm_seq IS NULL`);
}

function rowsOf({ serverName, recordId, ts, events }: KeyEventBatch): InsertRow[] {
  return events.map(({ kind, severity, keyId, detail }) => ({
    ts: BigInt(ts),
    server_name: serverName,
    record_id: recordId,
    kind,
    severity,
    key_id: keyId,
    detail: storableJsonText(detail),
  }));
}
