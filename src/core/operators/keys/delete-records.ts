import type { Database } from '../../store/db.js';
import { isConflict } from '../../store/conflict.js';
import type { TransactionRunner } from '../../store/sql/plain-sql.js';
import { listOf, sql } from '../../store/sql/sql.js';
import { appendKeyEvents, type KeyEventListener } from '../../notary/keys/key-event-store.js';
import { appendNewestLeft, updateSummaries } from '../../notary/keys/saving/record-rows.js';
import { DeletedNames, type DeletedDetail } from '../media/deleted-names.js';
import { findEntriesOfRecords, type KeyEntry } from './key-entries.js';

export interface DeletingParts {
  database: Database;
  /** Forgets what is kept in memory of servers, on all instances. */
  forget(serverNames: readonly string[]): Promise<void>;
  /** Absent: nobody is told. */
  listener?: KeyEventListener;
}

/** Who deletes, and when. */
export interface Deletion {
  /** POSIX ms. */
  ts: number;
  /** Shown with the event. */
  actor: string;
}

/** What went. */
export interface DeletedRecords {
  /** Every key that led to a deleted record, by server and key ID. */
  entries: readonly KeyEntry[];
  /** The same for audit: server and key ID of each, with a space between. */
  names: DeletedDetail;
  records: number;
  /** Of the records as published. */
  freedBytes: number;
}

/**
 * Deletes stored records with all keys that lead to them, in one transaction, and notes it among the events of their
 * servers. What was deleted is fetched anew when a peer asks.
 */
export async function deleteKeyRecords(
  parts: DeletingParts,
  recordIds: readonly number[],
  deletion: Deletion,
): Promise<DeletedRecords> {
  const remove = (): Promise<DeletedRecords> =>
    parts.database.plain.transaction((runner) => removeRecords(runner, recordIds, { ...parts, ...deletion }));
  const deleted = await remove().catch((error: unknown) =>
    isConflict(error) ? remove() : Promise.reject(error),
  );
  await parts.forget(serverNamesOf(deleted.entries));
  return deleted;
}

interface RecordColumns {
  id: number;
  serverName: string;
  sha256: string;
  bytes: number | string;
}

async function removeRecords(
  runner: TransactionRunner,
  recordIds: readonly number[],
  { listener, ...deletion }: Deletion & Pick<DeletingParts, 'listener'>,
): Promise<DeletedRecords> {
  const ids = listOf(recordIds);
  // Locks the rows, so that no fetch points a key to one of them while it goes.
  await runner.write(sql`UPDATE key_record SET first_seen_ts = first_seen_ts WHERE id IN (${ids})`);
  const entries = (await findEntriesOfRecords(runner, recordIds)).toSorted(byName);
  const records = await runner.query<RecordColumns>(
    sql`SELECT id, server_name AS "serverName", sha256, LENGTH(published) AS bytes FROM key_record WHERE id IN (${ids})`,
  );
  await runner.write(sql`DELETE FROM verify_key WHERE record_id IN (${ids})`);
  await runner.write(sql`DELETE FROM key_record WHERE id IN (${ids})`);
  await appendNewestLeft(runner, serverNamesOf(records), { deletedIds: recordIds, ts: deletion.ts });
  await updateSummaries(runner, serverNamesOf(records));
  await appendKeyEvents(
    runner,
    records.map(({ id, serverName, sha256 }) => ({
      serverName,
      ts: deletion.ts,
      recordId: id,
      events: [
        {
          kind: 'record_deleted',
          severity: 'warning',
          keyId: null,
          detail: {
            keys: String(entries.filter(({ recordId }) => recordId === id).length),
            sha256,
            actor: deletion.actor,
          },
        },
      ],
    })),
    listener,
  );
  const freedBytes = records.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  return { entries, names: namesOf(entries), records: records.length, freedBytes };
}

function namesOf(entries: readonly KeyEntry[]): DeletedDetail {
  const names = new DeletedNames();
  for (const entry of entries) names.add(nameOf(entry));
  return names.detail;
}

function nameOf({ serverName, keyId }: KeyEntry): string {
  return `${serverName} ${keyId}`;
}

function byName(a: KeyEntry, b: KeyEntry): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function serverNamesOf(rows: readonly { serverName: string }[]): string[] {
  return [...new Set(rows.map(({ serverName }) => serverName))].toSorted();
}
