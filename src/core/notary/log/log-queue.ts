import { encodeKeyEntry, type KeyEntryEvent } from '@vidimus/tlog';

import type { Clock } from '../../base/clock.js';
import { insertRows } from '../../store/sql/insert-rows.js';
import type { SqlRunner, TransactionRunner } from '../../store/sql/plain-sql.js';
import { sql } from '../../store/sql/sql.js';
import { KEY_CHANGES, type KeyEventDraft } from '../keys/key-changes.js';
import type { FetchedRecord } from '../keys/saving/record-rows.js';

/** A record that was saved, and what it changed. */
export interface LogDraft extends FetchedRecord {
  /** Whether it had not been stored before. */
  isNew: boolean;
  events: readonly KeyEventDraft[];
}

/** An entry that has no index yet. */
export interface NewEntry {
  /** SHA-256 of the canonical form of the record it is about. */
  recordSha256: Buffer;
  entry: Buffer;
}

const MAX_TAKEN = 2048;

/** Entries between the transaction that saves their record and the log. */
export class LogQueue {
  /** Called once a transaction that added entries is committed. */
  onCommitted: () => void = () => undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * Adds an entry for each record whose bytes are new and for each that changed what a key ID means, inside the
   * transaction that saves them: what is served is in the queue or in the log.
   */
  async add(runner: TransactionRunner, drafts: readonly LogDraft[]): Promise<void> {
    const queuedTs = BigInt(this.clock.now());
    const rows = drafts.flatMap((draft) => {
      const event = eventOf(draft);
      if (event === null) return [];
      const { serverName, sha256, record } = draft.record;
      const about = { event, serverName, recordSha256: sha256, observedTs: draft.fetchedTs };
      const entry = encodeKeyEntry(about, record);
      return [{ record_sha256: Buffer.from(sha256, 'hex'), entry, queued_ts: queuedTs }];
    });
    await insertRows(runner, { table: 'log_queue' }, rows);
    if (rows.length > 0) runner.onCommitted(() => this.onCommitted());
  }
}

/** Removes the oldest entries from the queue, inside the caller's transaction. */
export async function takeQueued(runner: SqlRunner): Promise<NewEntry[]> {
  const rows = await runner.query<{ id: number; record_sha256: Uint8Array; entry: Uint8Array }>(
    sql`DELETE FROM log_queue WHERE id IN (SELECT id FROM log_queue ORDER BY id LIMIT ${MAX_TAKEN})
      RETURNING id, record_sha256, entry`,
  );
  return rows
    .toSorted((a, b) => a.id - b.id)
    .map((row) => ({ recordSha256: Buffer.from(row.record_sha256), entry: Buffer.from(row.entry) }));
}

/** `null`: nothing that the log does not say already. */
function eventOf({ isNew, events }: LogDraft): KeyEntryEvent | null {
  if (events.some(({ kind }) => kind === 'server_first_seen')) return 'server_first_seen';
  if (events.some(({ kind }) => KEY_CHANGES.has(kind))) return 'keys_changed';
  return isNew ? 'record' : null;
}
