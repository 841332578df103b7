import { insertReturning, type InsertRow } from '../../../store/sql/insert-rows.js';
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

const STORED_ALREADY = 'ON CONFLICT (server_name, sha256) DO';

/** Where a record is stored. */
export interface SavedRecord {
  id: number;
  /** Whether it had not been stored before. */
  isNew: boolean;
}

/**
 * Stores records of different servers, inside the caller's transaction; of one that is stored already only the
 * time added is renewed. Returns them by server name.
 */
export async function saveRecords(
  runner: SqlRunner,
  saves: readonly RecordSave[],
): Promise<Map<string, SavedRecord>> {
  const target = { table: 'key_record', conflict: `${STORED_ALREADY} NOTHING` };
  const added = await insertReturning(runner, target, saves.map(rowOf));
  const saved = new Map(added.map(({ id, serverName }) => [serverName, { id, isNew: true }]));
  for (const isOvertaken of [false, true]) {
    const stored = saves.filter(
      (save) => save.isOvertaken === isOvertaken && !saved.has(save.record.serverName),
    );
    const lastSeen = isOvertaken ? 'key_record.last_seen_ts' : 'excluded.last_seen_ts';
    const renewal = {
      table: 'key_record',
      conflict: `${STORED_ALREADY} UPDATE SET last_seen_ts = ${lastSeen}`,
    };
    for (const { id, serverName } of await insertReturning(runner, renewal, stored.map(rowOf)))
      saved.set(serverName, { id, isNew: false });
  }
  return saved;
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
