import type { Database, DbTransaction } from '../db/db.js';
import { storableJson } from '../storable-text.js';
import { inPieces } from './saving/in-pieces.js';
import type { KeyEventDraft } from './key-changes.js';

/** Where and when a batch of key events happened. */
export interface KeyEventBatch {
  serverName: string;
  ts: number;
  /** The record that caused them; `null` for refused ones, which are not stored. */
  recordId: number | null;
  events: readonly KeyEventDraft[];
}

/** One row of the append-only table of key events. */
export interface KeyEventRow {
  seq: number;
  ts: number;
  kind: string;
  severity: string;
  keyId: string | null;
  recordId: number | null;
  detail: unknown;
}

/** Appends events to key_event, inside the caller's transaction. */
export async function appendKeyEvents(tx: DbTransaction, batches: readonly KeyEventBatch[]): Promise<void> {
  await inPieces(batches.flatMap(rowsOf), (data) => tx.keyEvent.createMany({ data }));
}

function rowsOf({ serverName, recordId, ts, events }: KeyEventBatch) {
  return events.map(({ kind, severity, keyId, detail }) => ({
    ts: BigInt(ts),
    serverName,
    recordId,
    kind,
    severity,
    keyId,
    detail: storableJson(detail),
  }));
}

/** The latest events of a server, newest first. */
export async function listKeyEvents(
  database: Database,
  serverName: string,
  limit: number,
): Promise<KeyEventRow[]> {
  const rows = await database.client.keyEvent.findMany({
    where: { serverName },
    orderBy: { seq: 'desc' },
    take: limit,
  });
  return rows.map((row) => ({ ...row, ts: Number(row.ts) }));
}
