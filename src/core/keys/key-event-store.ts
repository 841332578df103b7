import type { Database, DbTransaction } from '../db/db.js';
import { storableJson } from '../storable-text.js';
import { inPieces } from './in-pieces.js';
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
export async function appendKeyEvents(tx: DbTransaction, batch: KeyEventBatch): Promise<void> {
  const { serverName, recordId } = batch;
  await inPieces(batch.events, (events) =>
    tx.keyEvent.createMany({
      data: events.map((event) => ({
        ts: BigInt(batch.ts),
        serverName,
        recordId,
        kind: event.kind,
        severity: event.severity,
        keyId: event.keyId,
        detail: storableJson(event.detail),
      })),
    }),
  );
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
