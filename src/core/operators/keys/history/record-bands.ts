import type { Database } from '../../../store/db.js';
import type { Listing } from '../../../store/lists/keyset-walk.js';
import { RecordList } from '../../../store/lists/record-list.js';
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

function listing(serverName: string): Listing {
  return {
    model: 'newestRecord',
    sort: { name: 'fromTs', kind: 'integer', nullable: false, direction: 'desc' },
    key: { name: 'id', kind: 'integer' },
    indexed: [{ serverName }],
    residual: [],
    refinements: [],
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
