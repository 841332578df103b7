import { inTransaction, type Database, type OpenTransaction } from '../../store/db.js';
import { isConflict } from '../../store/store-errors.js';
import { appendKeyEvents, type KeyEventListener } from '../../notary/keys/key-changes.js';
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
    inTransaction(parts.database, (open) => removeRecords(open, recordIds, { ...parts, ...deletion }));
  const deleted = await remove().catch((error: unknown) =>
    isConflict(error) ? remove() : Promise.reject(error),
  );
  await parts.forget(serverNamesOf(deleted.entries));
  return deleted;
}

async function removeRecords(
  open: OpenTransaction,
  recordIds: readonly number[],
  { listener, ...deletion }: Deletion & Pick<DeletingParts, 'listener'>,
): Promise<DeletedRecords> {
  const { tx } = open;
  const where = { id: { in: [...recordIds] } };
  // Locks the rows, so that no fetch points a key to one of them while it goes.
  await tx.keyRecord.updateMany({ where, data: { firstSeenTs: { increment: 0 } } });
  const entries = (await findEntriesOfRecords(tx, recordIds)).toSorted(byName);
  const records = await tx.keyRecord.findMany({ where });
  await tx.verifyKey.deleteMany({ where: { recordId: where.id } });
  await tx.keyRecord.deleteMany({ where });
  await appendNewestLeft(tx, serverNamesOf(records), { deletedIds: recordIds, ts: deletion.ts });
  await updateSummaries(tx, serverNamesOf(records));
  await appendKeyEvents(
    open,
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
  const freedBytes = records.reduce((sum, { published }) => sum + published.length, 0);
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
