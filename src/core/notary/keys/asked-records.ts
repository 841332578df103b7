import { LARGE_ANSWER_BYTES } from '../key-record/key-answer.js';
import { isMiss, isPastHalfLife, isShortLived, type FetchReason, type ServerQuery } from './key-query.js';
import { NOTHING_KNOWN, type KnownRecord, type KnownServer } from './cached/known-server.js';

/**
 * The records that answer a query, each once; `found` holds what is known of each server of it. No two servers share
 * a record, so only the key ids of one server can lead to the same one.
 */
export function recordsOf(queries: readonly ServerQuery[], found: readonly KnownServer[]): KnownRecord[] {
  const records: KnownRecord[] = [];
  queries.forEach(({ keys }, index) => {
    const known = found[index] ?? NOTHING_KNOWN;
    const first = records.length;
    if (keys.length === 0) for (const record of known.records) records.push(record);
    for (const { keyId } of keys) {
      const record = known.byKeyId.get(keyId);
      if (record !== undefined && !records.includes(record, first)) records.push(record);
    }
  });
  return records;
}

/**
 * Adds the records that answer a query about one server, each once; `false` when a key of it is not known or past its
 * time, or nothing is known of the server. One pass, since a hundred servers are asked about at once.
 */
export function addFresh(
  records: KnownRecord[],
  { keys }: ServerQuery,
  { known, nowTs }: { known: KnownServer; nowTs: number },
): boolean {
  const first = records.length;
  if (keys.length === 0) for (const record of known.records) records.push(record);
  for (const { keyId, minimumValidUntilTs } of keys) {
    const record = known.byKeyId.get(keyId);
    if (record === undefined || isMiss(record, minimumValidUntilTs, nowTs)) return false;
    if (records.length === first || !records.includes(record, first)) records.push(record);
  }
  return records.length > first;
}

/** Their bytes as published. */
export function bytesOf(records: readonly KnownRecord[]): number {
  let bytes = 0;
  for (const record of records) bytes += record.publishedBytes;
  return bytes;
}

/** Whether the answer takes turns. */
export function isLarge(records: readonly KnownRecord[]): boolean {
  return bytesOf(records) > LARGE_ANSWER_BYTES;
}

interface MissContext {
  known: KnownServer;
  nowTs: number;
  /** Setting federation.fetch_when_unknown. */
  fetchWhenUnknown: boolean;
}

/** Why a server is fetched, the strongest reason of all keys asked for; `null` when nothing is missing or too old. */
export function missReason(query: ServerQuery, context: MissContext): FetchReason | null {
  const { known, nowTs, fetchWhenUnknown } = context;
  if (query.keys.length === 0) return known.records.length === 0 && fetchWhenUnknown ? 'absent' : null;
  let reason: FetchReason | null = null;
  for (const { keyId, minimumValidUntilTs } of query.keys) {
    const record = known.byKeyId.get(keyId) ?? null;
    if (!isMiss(record, minimumValidUntilTs, nowTs)) continue;
    const candidate = reasonOf(record, minimumValidUntilTs, context);
    if (candidate === 'absent' || candidate === 'stale') return candidate;
    reason ??= candidate;
  }
  return reason;
}

function reasonOf(
  record: KnownRecord | null,
  minimumValidUntilTs: number | bigint | null,
  { known, nowTs }: MissContext,
): FetchReason {
  const newest = known.records.at(-1);
  if (newest === undefined) return 'absent';
  if (record === null) return 'unknown_key';
  if (minimumValidUntilTs !== null) return 'minimum';
  if (isShortLived(newest)) return 'short_lived';
  // The record of an id that vanished stays stale, so while the newest one is fresh a fetch mends nothing.
  return isPastHalfLife(newest, nowTs) ? 'stale' : 'unknown_key';
}
