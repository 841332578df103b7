import type { Database } from '../../../store/db.js';
import type { KeysetListing } from '../../../store/lists/keyset-walk.js';
import { RecordList } from '../../../store/lists/record-list.js';
import { sql } from '../../../store/sql/sql.js';
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
    find: (ids) => findBands(database, ids),
    keyOf: ({ id }) => id,
  });
}

/** The band just before another; `null` for the first one. */
export async function findBandBefore(database: Database, band: RecordBand): Promise<RecordBand | null> {
  const { id, serverName } = band;
  const fromTs = BigInt(band.fromTs);
  const before = await database.client.newestRecord.findFirst({
    where: { serverName, fromTs: { lte: fromTs }, OR: [{ fromTs: { lt: fromTs } }, { id: { lt: id } }] },
    orderBy: [{ fromTs: 'desc' }, { id: 'desc' }],
  });
  return before === null ? null : ((await findBands(database, [before.id]))[0] ?? null);
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

async function findBands({ client }: Database, ids: readonly number[]): Promise<RecordBand[]> {
  const { newestRecord } = client;
  const rows = await newestRecord.findMany({ where: { id: { in: [...ids] } } });
  const recordIds = rows.flatMap(({ recordId }) => (recordId === null ? [] : [recordId]));
  const records = await findSeenRecords(client, [...new Set(recordIds)]);
  const bands: RecordBand[] = [];
  for (const { id, serverName, recordId, fromTs } of rows) {
    const next = await newestRecord.findFirst({
      where: { serverName, fromTs: { gte: fromTs }, OR: [{ fromTs: { gt: fromTs } }, { id: { gt: id } }] },
      orderBy: [{ fromTs: 'asc' }, { id: 'asc' }],
    });
    bands.push({
      id,
      serverName,
      fromTs: Number(fromTs),
      untilTs: next === null ? null : Number(next.fromTs),
      recordId,
      record: recordId === null ? null : (records.get(recordId) ?? null),
    });
  }
  return bands;
}
