import { setImmediate } from 'node:timers/promises';

import { parseStoredRecord } from '../../notary/key-record/record-signing.js';
import { listedKeys } from '../../notary/keys/key-changes.js';
import type { Database, Db, KeyRecordRow } from '../../store/db.js';
import { RecordList } from '../../store/lists/record-list.js';
import { plainRow } from '../../store/plain-row.js';

/** Read at once: a record may have 256 KiB. */
const RECORDS_AT_ONCE = 16;

/** Records by row id; deleted ones are left out. */
async function findSeenRecords(
  { keyRecord }: Db,
  recordIds: readonly number[],
): Promise<Map<number, SeenRecord>> {
  const found = new Map<number, SeenRecord>();
  for (let at = 0; at < recordIds.length; at += RECORDS_AT_ONCE) {
    const ids = recordIds.slice(at, at + RECORDS_AT_ONCE);
    for (const row of await keyRecord.findMany({ where: { id: { in: ids } } })) {
      found.set(row.id, seenRecordOf(row));
      await setImmediate();
    }
  }
  return found;
}

/** A stored record as the history shows it. */
type SeenRecord = ReturnType<typeof seenRecordOf>;

function seenRecordOf(row: KeyRecordRow) {
  const { record, validUntilTs } = parseStoredRecord(row.id, row.published);
  return {
    sha256: row.sha256,
    firstSeenTs: Number(row.firstSeenTs),
    validUntilTs: Math.min(Number(validUntilTs), Number.MAX_SAFE_INTEGER),
    /** Every key it lists. */
    keys: listedKeys(record),
  };
}

/** A stretch of time over which one record was the newest of its server. */
export type RecordBand = Awaited<ReturnType<typeof findBands>>[number];

/** The bands of a server, newest first. */
export function bandList(database: Database): RecordList<string, number, RecordBand> {
  return new RecordList(database, {
    listing: (serverName) => ({
      model: 'newestRecord',
      sort: { name: 'fromTs', direction: 'desc' },
      key: { name: 'id' },
      conditions: [{ where: { serverName }, servedBy: ['fromTs'] }],
    }),
    find: (ids) => findBands(database, ids),
    keyOf: ({ id }) => id,
  });
}

/** Bands beside one another, as a page of the list has them: each ends where the one after it begins. */
async function findBands({ client }: Database, ids: readonly number[]) {
  const { newestRecord } = client;
  const orderBy = [{ fromTs: 'asc' }, { id: 'asc' }] as const;
  const rows = await newestRecord.findMany({ where: { id: { in: [...ids] } }, orderBy: [...orderBy] });
  const newest = rows.at(-1);
  if (newest === undefined) return [];
  const { serverName, fromTs, id } = newest;
  const later = { fromTs: { gte: fromTs }, OR: [{ fromTs: { gt: fromTs } }, { id: { gt: id } }] };
  const after = await newestRecord.findFirst({ where: { serverName, ...later }, orderBy: [...orderBy] });
  const recordIds = rows.flatMap(({ recordId }) => (recordId === null ? [] : [recordId]));
  const records = await findSeenRecords(client, [...new Set(recordIds)]);
  return rows.map((row, at) => {
    const next = rows[at + 1] ?? after;
    return {
      ...plainRow(row),
      untilTs: next === null ? null : Number(next.fromTs),
      /** `null` also when the record has been deleted since. */
      record: row.recordId === null ? null : (records.get(row.recordId) ?? null),
    };
  });
}
