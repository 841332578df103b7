import { insertRows } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, sql } from '../../../store/sql/sql.js';

/** Which record of a server is the newest from some time on; one row of newest_record. */
export interface NewestRecord {
  serverName: string;
  recordId: number;
  /** POSIX ms. */
  fromTs: number;
}

/** Notes that other records than before are the newest of their servers, inside the caller's transaction. */
export function appendNewest(runner: SqlRunner, changes: readonly NewestRecord[]): Promise<void> {
  const rows = changes.map(({ serverName, recordId, fromTs }) => ({
    server_name: serverName,
    record_id: recordId,
    from_ts: BigInt(fromTs),
  }));
  return insertRows(runner, { table: 'newest_record' }, rows);
}

/**
 * Notes what is the newest of servers whose newest record was deleted, inside the transaction that did: a record that
 * still leads to one of their keys, or none.
 */
export async function appendNewestLeft(
  runner: SqlRunner,
  serverNames: readonly string[],
  { deletedIds, ts }: { deletedIds: readonly number[]; ts: number },
): Promise<void> {
  if (serverNames.length === 0) return;
  await runner.write(sql`INSERT INTO newest_record (server_name, record_id, from_ts)
    SELECT s.server_name, (SELECT k.record_id FROM verify_key k WHERE k.server_name = s.server_name
      ORDER BY k.last_seen_ts DESC, k.record_id DESC LIMIT 1), CAST(${BigInt(ts)} AS BIGINT)
    FROM remote_server s WHERE s.server_name IN (${listOf(serverNames)}) AND (
      SELECT n.record_id FROM newest_record n WHERE n.server_name = s.server_name
      ORDER BY n.from_ts DESC, n.id DESC LIMIT 1) IN (${listOf(deletedIds)})`);
}
