import { setImmediate } from 'node:timers/promises';

import { parseStoredRecord } from '../../../notary/key-record/record-signing.js';
import { listedKeys, type KnownKey } from '../../../notary/keys/key-changes.js';
import type { Db, KeyRecordRow } from '../../../store/db.js';

/** A stored record as the history shows it. Times are POSIX ms. */
export interface SeenRecord {
  recordId: number;
  /** SHA-256 (hex) of its canonical form. */
  sha256: string;
  firstSeenTs: number;
  lastSeenTs: number;
  /** Exact. */
  validUntilTs: number | bigint;
  /** Every key it lists. */
  keys: ReadonlyMap<string, KnownKey>;
}

/** What is read at once, and how long a record may be to be parsed without giving others a turn. */
const RECORDS_AT_ONCE = 16;
const LONG_BYTES = 16_384;

/** Records by row id; deleted ones are left out. */
export async function findSeenRecords(
  { keyRecord }: Db,
  recordIds: readonly number[],
): Promise<Map<number, SeenRecord>> {
  const found = new Map<number, SeenRecord>();
  for (let at = 0; at < recordIds.length; at += RECORDS_AT_ONCE) {
    const ids = recordIds.slice(at, at + RECORDS_AT_ONCE);
    for (const row of await keyRecord.findMany({ where: { id: { in: ids } } })) {
      found.set(row.id, seenRecordOf(row));
      if (row.published.length > LONG_BYTES) await setImmediate();
    }
    await setImmediate();
  }
  return found;
}

function seenRecordOf(row: KeyRecordRow): SeenRecord {
  const { record, validUntilTs } = parseStoredRecord(row.id, row.published);
  return {
    recordId: row.id,
    sha256: row.sha256,
    firstSeenTs: Number(row.firstSeenTs),
    lastSeenTs: Number(row.lastSeenTs),
    validUntilTs,
    keys: listedKeys(record),
  };
}

/** An untrusted time that may lie beyond what numbers tell apart, cut to what they do. */
export function clampedTs(ts: number | bigint): number {
  return Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}
