import { setImmediate } from 'node:timers/promises';

import { encodeKeyEntry } from '@vidimus/tlog';

import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { listOf, sql } from '../../store/sql/sql.js';
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
  server_name: string;
  sha256: string;
  first_seen_ts: number | string;
}

/**
 * Looks at the records behind a row of key_record, inside the caller's transaction: which are neither in the log nor
 * among what waits, `taken` included.
 */
export async function checkRecords(
  runner: SqlRunner,
  afterId: number,
  taken: readonly NewEntry[],
): Promise<CheckedRecords> {
  const rows = await runner.query<RecordColumns>(
    sql`SELECT id, server_name, sha256, first_seen_ts FROM key_record WHERE id > ${afterId}
      ORDER BY id LIMIT ${MAX_CHECKED}`,
  );
  const known = await findKnown(runner, rows);
  for (const { recordSha256 } of taken) known.add(recordSha256.toString('hex'));
  const unknown = rows.filter(({ sha256 }) => !known.has(sha256));
  const missing: NewEntry[] = [];
  for (let at = 0; at < unknown.length; at += MAX_READ) {
    missing.push(...(await entriesOf(runner, unknown.slice(at, at + MAX_READ))));
    await setImmediate();
  }
  return { missing, checkedId: rows.at(-1)?.id ?? afterId, isEnd: rows.length < MAX_CHECKED };
}

/** Hashes (hex) of those records that are in the log or in the queue. */
async function findKnown(runner: SqlRunner, rows: readonly RecordColumns[]): Promise<Set<string>> {
  const hashes = listOf(rows.map(({ sha256 }) => Buffer.from(sha256, 'hex')));
  const found = await runner.query<{ record_sha256: Uint8Array }>(
    sql`SELECT record_sha256 FROM log_entry WHERE record_sha256 IN (${hashes})
      UNION SELECT record_sha256 FROM log_queue WHERE record_sha256 IN (${hashes})`,
  );
  return new Set(found.map((row) => Buffer.from(row.record_sha256).toString('hex')));
}

async function entriesOf(runner: SqlRunner, rows: readonly RecordColumns[]): Promise<NewEntry[]> {
  const ids = listOf(rows.map(({ id }) => id));
  const stored = await runner.query<{ id: number; published: Uint8Array }>(
    sql`SELECT id, published FROM key_record WHERE id IN (${ids})`,
  );
  const published = new Map(stored.map((row) => [row.id, row.published]));
  return rows.flatMap(({ id, server_name: serverName, sha256, first_seen_ts: firstSeenTs }) => {
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
