import type { Database } from '../../../store/db.js';
import type { KeysetListing } from '../../../store/lists/keyset-walk.js';
import { RecordList } from '../../../store/lists/record-list.js';
import { listOf, sql, type Sql } from '../../../store/sql/sql.js';
import { findSeenRecords, type SeenRecord } from './seen-record.js';

/** A stretch of time over which one record was the newest of its server. Times are POSIX ms. */
export interface RecordBand {
  id: number;
  serverName: string;
  fromTs: number;
  /** `null`: it still is. */
  untilTs: number | null;
  /** `null`: nothing was known. */
  recordId: number | null;
  /** `null` also when the record has been deleted since. */
  record: SeenRecord | null;
}

/** The bands of a server, newest first. */
export function createBandList(database: Database): RecordList<string, number, RecordBand> {
  return new RecordList(database, {
    listing,
    readKey: Number,
    find: (ids) => findBands(database, sql`n.id IN (${listOf(ids)})`),
    keyOf: ({ id }) => id,
  });
}

/** The band just before another; `null` for the first one. */
export async function findBandBefore(database: Database, band: RecordBand): Promise<RecordBand | null> {
  const which = sql`SELECT id FROM newest_record
    WHERE server_name = ${band.serverName} AND (from_ts, id) < (${BigInt(band.fromTs)}, ${band.id})
    ORDER BY from_ts DESC, id DESC LIMIT 1`;
  return (await findBands(database, sql`n.id = (${which})`))[0] ?? null;
}

function listing(serverName: string): KeysetListing {
  return {
    table: 'newest_record',
    columns: [],
    sort: { column: 'from_ts', kind: 'integer', nullable: false, direction: 'desc' },
    key: { column: 'id', kind: 'integer' },
    indexed: [sql`server_name = ${serverName}`],
    residual: [],
  };
}

interface BandColumns {
  id: number | string;
  serverName: string;
  recordId: number | string | null;
  fromTs: number | string;
  untilTs: number | string | null;
}

async function findBands({ plain }: Database, condition: Sql): Promise<RecordBand[]> {
  const rows = await plain.query<BandColumns>(sql`SELECT n.id AS id, n.server_name AS "serverName",
      n.record_id AS "recordId", n.from_ts AS "fromTs", (
        SELECT l.from_ts FROM newest_record l
        WHERE l.server_name = n.server_name AND (l.from_ts, l.id) > (n.from_ts, n.id)
        ORDER BY l.from_ts, l.id LIMIT 1) AS "untilTs"
    FROM newest_record n WHERE ${condition}`);
  const ids = rows.flatMap(({ recordId }) => (recordId === null ? [] : [Number(recordId)]));
  const records = await findSeenRecords(plain, [...new Set(ids)]);
  return rows.map(({ id, serverName, recordId, fromTs, untilTs }) => ({
    id: Number(id),
    serverName,
    fromTs: Number(fromTs),
    untilTs: untilTs === null ? null : Number(untilTs),
    recordId: recordId === null ? null : Number(recordId),
    record: recordId === null ? null : (records.get(Number(recordId)) ?? null),
  }));
}
