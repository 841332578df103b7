import { appendKeyEvents, type KeyEventListener } from '../../notary/keys/key-changes.js';
import { appendNewestLeft } from '../../notary/keys/saving/record-rows.js';
import { inTransaction, type Database, type OpenTransaction } from '../../store/db.js';
import { updateSummary } from '../../store/hot-sql.js';
import { isConflict } from '../../store/store-errors.js';

export interface DeletingParts {
  database: Database;
  /** Forgets what is kept in memory of servers, on all instances. */
  forget(serverNames: readonly string[]): Promise<void>;
  /** Absent: nobody is notified. */
  listener?: KeyEventListener;
}

/** Who deletes, and when. */
export interface Deletion {
  /** POSIX ms. */
  ts: number;
  /** Shown with the event. */
  actor: string;
}

export interface DeletedRecords {
  /** With records. */
  servers: readonly string[];
  records: number;
  /** Of the records as published. */
  freedBytes: number;
}

/**
 * Deletes all stored records of servers with their keys, in one transaction, and notes it among the events of the
 * servers. The next query fetches them again.
 */
export async function deleteKeyRecords(
  parts: DeletingParts,
  serverNames: readonly string[],
  deletion: Deletion,
): Promise<DeletedRecords> {
  const remove = (): Promise<DeletedRecords> =>
    inTransaction(parts.database, (open) => removeRecords(open, serverNames, { ...parts, ...deletion }));
  const deleted = await remove().catch((error: unknown) =>
    isConflict(error) ? remove() : Promise.reject(error),
  );
  await parts.forget(deleted.servers);
  return deleted;
}

async function removeRecords(
  open: OpenTransaction,
  serverNames: readonly string[],
  { listener, ts, actor }: Deletion & Pick<DeletingParts, 'listener'>,
): Promise<DeletedRecords> {
  const { tx } = open;
  const of = { where: { serverName: { in: [...serverNames] } } };
  // Locks the rows, so that no fetch points a key to one of them while it goes.
  await tx.keyRecord.updateMany({ ...of, data: { firstSeenTs: { increment: 0 } } });
  const records = await tx.keyRecord.findMany(of);
  const deletedIds = records.map(({ id }) => id);
  const keys = await tx.verifyKey.groupBy({
    by: 'recordId',
    where: { recordId: { in: deletedIds } },
    _count: { _all: true },
  });
  const keyCounts = new Map(keys.map(({ recordId, _count }) => [recordId, _count._all]));
  await tx.verifyKey.deleteMany({ where: { recordId: { in: deletedIds } } });
  await tx.keyRecord.deleteMany({ where: { id: { in: deletedIds } } });
  const servers = [...new Set(records.map(({ serverName }) => serverName))].toSorted();
  await appendNewestLeft(tx, servers, { deletedIds, ts });
  await updateSummary(tx, servers);
  const events = records.map(({ id, serverName, sha256 }) => {
    const detail = { keys: String(keyCounts.get(id) ?? 0), sha256, actor };
    const event = { kind: 'record_deleted', severity: 'warning', keyId: null, detail } as const;
    return { serverName, ts, recordId: id, events: [event] };
  });
  await appendKeyEvents(open, events, listener);
  const freedBytes = records.reduce((sum, { published }) => sum + published.length, 0);
  return { servers, records: records.length, freedBytes };
}
