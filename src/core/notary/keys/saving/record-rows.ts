import { insertReturning } from '../../../store/sql/insert-rows.js';
import type { InsertRow } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { toColumnTs } from '../../key-record/column-ts.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';

/** A fetched and accepted record, ready to be stored. */
export interface FetchedRecord {
  record: AcceptedRecord;
  /** The bytes as the origin published them. */
  published: Buffer;
  /** When the request was sent, POSIX ms; becomes the record's time added (SPEC §4.4.4). */
  fetchedTs: number;
}

/** One record to save; one that was overtaken does not renew the time added of an equal one. */
export interface RecordSave extends FetchedRecord {
  isOvertaken: boolean;
}

const STORED_ALREADY = 'ON CONFLICT (server_name, sha256) DO UPDATE SET last_seen_ts =';

/**
 * Stores records of different servers, inside the caller's transaction; of one that is stored already only the
 * time added is renewed. Returns the row ids by server name.
 */
export async function saveRecords(
  runner: SqlRunner,
  saves: readonly RecordSave[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const isOvertaken of [false, true]) {
    const rows = saves.filter((save) => save.isOvertaken === isOvertaken).map(rowOf);
    const lastSeen = isOvertaken ? 'key_record.last_seen_ts' : 'excluded.last_seen_ts';
    const target = { table: 'key_record', conflict: `${STORED_ALREADY} ${lastSeen}` };
    for (const { id, serverName } of await insertReturning(runner, target, rows)) ids.set(serverName, id);
  }
  return ids;
}

function rowOf({ record, published, fetchedTs }: RecordSave): InsertRow {
  const seenTs = BigInt(fetchedTs);
  return {
    server_name: record.serverName,
    sha256: record.sha256,
    published: new Uint8Array(published),
    valid_until_ts: toColumnTs(record.validUntilTs),
    first_seen_ts: seenTs,
    last_seen_ts: seenTs,
  };
}
