import { insertRows } from '../../store/sql/insert-rows.js';
import type { InsertTarget } from '../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import type { ColumnValue } from '../../store/sql/sql.js';
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

const EVENTS: InsertTarget = {
  table: 'key_event',
  columns: ['ts', 'server_name', 'record_id', 'kind', 'severity', 'key_id', 'detail'],
  conflict: '',
};

/** Appends events to key_event, inside the caller's transaction. */
export async function appendKeyEvents(runner: SqlRunner, batches: readonly KeyEventBatch[]): Promise<void> {
  await insertRows(runner, EVENTS, batches.flatMap(rowsOf));
}

function rowsOf({ serverName, recordId, ts, events }: KeyEventBatch): ColumnValue[][] {
  return events.map(({ kind, severity, keyId, detail }) => [
    BigInt(ts),
    serverName,
    recordId,
    kind,
    severity,
    keyId,
    storableJsonText(detail),
  ]);
}
