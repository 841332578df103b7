import type { Database, DbTransaction } from '../../store/db.js';
import { isConflict } from '../../store/conflict.js';
import { appendKeyEvents } from '../../notary/keys/key-event-store.js';
import { updateSummaries } from '../../notary/keys/saving/server-summary.js';
import type { KeyEntry } from './key-entries.js';
import { findEntriesOfRecords } from './key-entries.js';

export interface DeletingParts {
  database: Database;
  /** Forgets what is kept in memory of a server. */
  invalidate(serverName: string): void;
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
  /** Every key that led to a deleted record. */
  entries: readonly KeyEntry[];
  records: number;
  /** Of the records as published. */
  freedBytes: number;
}

/**
 * Deletes stored records with all keys that lead to them, in one transaction, and notes it among the events of their
 * servers. What was deleted is fetched anew when a peer asks. Other instances forget it when their cache does.
 */
export async function deleteKeyRecords(
  parts: DeletingParts,
  recordIds: readonly number[],
  deletion: Deletion,
): Promise<DeletedRecords> {
  const remove = (): Promise<DeletedRecords> =>
    parts.database.client.$transaction((tx) => removeRecords(tx, recordIds, deletion));
  const deleted = await remove().catch((error: unknown) =>
    isConflict(error) ? remove() : Promise.reject(error),
  );
  for (const serverName of serverNamesOf(deleted.entries)) parts.invalidate(serverName);
  return deleted;
}

async function removeRecords(
  tx: DbTransaction,
  recordIds: readonly number[],
  deletion: Deletion,
): Promise<DeletedRecords> {
  const ids = { in: [...recordIds] };
  // Locks the rows, so that no fetch points a key to one of them while it goes.
  await tx.keyRecord.updateMany({ where: { id: ids }, data: { firstSeenTs: { increment: 0 } } });
  const entries = await findEntriesOfRecords(tx, recordIds);
  const records = await tx.keyRecord.findMany({
    where: { id: ids },
    select: { id: true, serverName: true, sha256: true, published: true },
  });
  await tx.verifyKey.deleteMany({ where: { recordId: ids } });
  await tx.keyRecord.deleteMany({ where: { id: ids } });
  await updateSummaries(tx, serverNamesOf(records));
  await appendKeyEvents(
    tx,
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
  );
  const freedBytes = records.reduce((sum, { published }) => sum + published.byteLength, 0);
  return { entries, records: records.length, freedBytes };
}

function serverNamesOf(rows: readonly { serverName: string }[]): string[] {
  return [...new Set(rows.map(({ serverName }) => serverName))].toSorted();
}
