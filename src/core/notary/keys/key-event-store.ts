import { insertRows, type InsertRow } from '../../store/sql/insert-rows.js';
import { listOf, sql } from '../../store/sql/sql.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { storableJsonText } from '../../base/text/storable-text.js';
import { ALARM_KINDS, type KeyEventDraft } from './key-changes.js';

/** Where and when a batch of key events happened. */
export interface KeyEventBatch {
  serverName: string;
  ts: number;
  /** The record that caused them; `null` for refused ones, which are not stored. */
  recordId: number | null;
  events: readonly KeyEventDraft[];
}

/** Told of key events inside the transaction that appends them: what it writes is there when they are. */
export type KeyEventListener = (runner: SqlRunner, batches: readonly KeyEventBatch[]) => Promise<void>;

/** Appends events to key_event, inside the caller's transaction. */
export async function appendKeyEvents(
  runner: SqlRunner,
  batches: readonly KeyEventBatch[],
  listener: KeyEventListener | null = null,
): Promise<void> {
  await insertRows(runner, { table: 'key_event' }, batches.flatMap(rowsOf));
  const alarming = batches.filter(({ events }) => events.some(({ kind }) => ALARM_KINDS.includes(kind)));
  for (const { serverName, ts } of alarming) await raiseAlarm(runner, serverName, ts);
  const told = batches.filter(({ events }) => events.length > 0);
  if (told.length > 0) await listener?.(runner, told);
}

/** An alarm stays until somebody acknowledges it, and with it the first of its events. */
async function raiseAlarm(runner: SqlRunner, serverName: string, ts: number): Promise<void> {
  await runner.execute(sql`UPDATE remote_server SET alarm_seq = (
      SELECT MIN(seq) FROM key_event
      WHERE server_name = ${serverName} AND kind IN (${listOf(ALARM_KINDS)}) AND ts = ${BigInt(ts)})
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
    alarm: ALARM_KINDS.includes(kind),
  }));
}
