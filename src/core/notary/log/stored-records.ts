import { setImmediate } from 'node:timers/promises';

import { encodeKeyEntry } from '@vidimus/tlog';

import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import type { DbTransaction } from '../../store/db.js';
import type { NewEntry } from './log-queue.js';

/** Records that are looked at together, to see whether the log has them. */
const MAX_CHECKED = 512;
/** Of them read at once; each may have 256 KiB. */
const MAX_READ = 32;

/** What a look at stored records found. */
export interface CheckedRecords {
  /** Those that the log lacks, in order of first sight. */
  missing: NewEntry[];
  checkedId: number;
  /** Whether these were the last ones. */
  isEnd: boolean;
}

interface RecordColumns {
  id: number;
  serverName: string;
  sha256: string;
  firstSeenTs: bigint;
}

/**
 * Looks at the records behind a row of key_record, inside the caller's transaction: which are neither in the log nor
 * among what waits, `taken` included.
 */
export async function checkRecords(
  tx: DbTransaction,
  afterId: number,
  taken: readonly NewEntry[],
): Promise<CheckedRecords> {
  const rows = await tx.keyRecord.findMany({
    where: { id: { gt: afterId } },
    orderBy: { id: 'asc' },
    take: MAX_CHECKED,
    select: { id: true, serverName: true, sha256: true, firstSeenTs: true },
  });
  const known = await findKnown(tx, rows);
  for (const { recordSha256 } of taken) known.add(recordSha256.toString('hex'));
  const unknown = rows.filter(({ sha256 }) => !known.has(sha256));
  const missing: NewEntry[] = [];
  for (let at = 0; at < unknown.length; at += MAX_READ) {
    missing.push(...(await entriesOf(tx, unknown.slice(at, at + MAX_READ))));
    await setImmediate();
  }
  return { missing, checkedId: rows.at(-1)?.id ?? afterId, isEnd: rows.length < MAX_CHECKED };
}

/** Hashes (hex) of those records that are in the log or in the queue. */
async function findKnown(tx: DbTransaction, rows: readonly RecordColumns[]): Promise<Set<string>> {
  const hashes = rows.map(({ sha256 }) => new Uint8Array(Buffer.from(sha256, 'hex')));
  const select = { recordSha256: true };
  const entered = await tx.logEntry.findMany({ where: { recordSha256: { in: hashes } }, select });
  const waiting = await tx.logQueue.findMany({ where: { recordSha256: { in: hashes } }, select });
  return new Set([...entered, ...waiting].map((row) => Buffer.from(row.recordSha256).toString('hex')));
}

async function entriesOf({ keyRecord }: DbTransaction, rows: readonly RecordColumns[]): Promise<NewEntry[]> {
  const where = { id: { in: rows.map(({ id }) => id) } };
  const stored = await keyRecord.findMany({ where, select: { id: true, published: true } });
  const published = new Map(stored.map((row) => [row.id, row.published]));
  return rows.flatMap(({ id, serverName, sha256, firstSeenTs }) => {
    const record = readRecord(published.get(id));
    if (record === null) return [];
    const about = { serverName, recordSha256: sha256, observedTs: Number(firstSeenTs) };
    const entry = encodeKeyEntry({ event: 'existing_record', ...about }, record);
    return [{ recordSha256: Buffer.from(sha256, 'hex'), entry }];
  });
}

/** `null` for damaged bytes, which cannot be answered either: they must not keep others out of the log. */
function readRecord(published: Uint8Array = Buffer.alloc(0)): JsonObject | null {
  try {
    const record = parseStrictJson(published, STORED_JSON);
    return isJsonObject(record) ? record : null;
  } catch {
    return null;
  }
}
