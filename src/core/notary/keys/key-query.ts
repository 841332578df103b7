/** What a caller wants of one key id (SPEC §2.2). */
export interface KeyRequest {
  keyId: string;
  /** Lowest acceptable `valid_until_ts` in POSIX ms; `null` when the caller did not say. */
  minimumValidUntilTs: number | bigint | null;
}

/** What a caller wants of one server. No keys: all keys of the server, without validity checks (SPEC §4.3). */
export interface ServerQuery {
  serverName: string;
  keys: readonly KeyRequest[];
}

/** Limits of one POST: a homeserver that joins the largest rooms asks about some hundred servers at a time. */
export const KEY_QUERY_LIMITS = {
  maxBodyBytes: 1024 * 1024,
  maxServers: 1000,
  maxKeyIdsPerServer: 100,
  maxKeyIds: 5000,
  /** Larger answers are refused, so that nobody can have us assemble them. */
  maxAnswerBytes: 16 * 1024 * 1024,
};

/** The two times a record is judged by. */
export interface RecordTimes {
  /** Time added: when the latest fetch that returned the record was sent, POSIX ms. */
  addedTs: number;
  /** The record's own `valid_until_ts`, exact. */
  validUntilTs: number | bigint;
}

/**
 * Whether a stored record does not satisfy a request (SPEC §4.4.2 to §4.4.4).
 * With a minimum, the record's validity must reach it; without one, at most half of its lifetime may have passed.
 */
export function isMiss(
  record: RecordTimes | null,
  minimumValidUntilTs: number | bigint | null,
  nowTs: number,
): boolean {
  if (record === null) return true;
  if (minimumValidUntilTs !== null) return record.validUntilTs < minimumValidUntilTs;
  return isPastHalfLife(record, nowTs);
}

/** (time added + valid_until_ts) / 2 < now, without halving (SPEC §4.4.4). */
export function isPastHalfLife(record: RecordTimes, nowTs: number): boolean {
  return typeof record.validUntilTs === 'bigint'
    ? record.validUntilTs + BigInt(record.addedTs) < BigInt(2 * nowTs)
    : record.addedTs + record.validUntilTs < 2 * nowTs;
}

/**
 * Why a fetch is wanted. `absent`: nothing is stored of the server; `stale`: past half of its life;
 * `unknown_key` and `minimum`: what is stored is fresh, but not what the caller asks for;
 * `short_lived`: the origin publishes records that are stale (almost) on arrival; `operator`: an operator wants it.
 */
export type FetchReason = 'absent' | 'stale' | 'unknown_key' | 'minimum' | 'short_lived' | 'operator';

/** Reasons that bring a fetch with every query, so they draw from the per-server throttle. */
export function isThrottled(reason: FetchReason): boolean {
  return reason === 'unknown_key' || reason === 'minimum' || reason === 'short_lived';
}

const SHORT_LIFE_MS = 60_000;

/** Whether a record lived so short from its fetch on that refetching it brings no rest. */
export function isShortLived(record: RecordTimes): boolean {
  return typeof record.validUntilTs === 'number' && record.validUntilTs - record.addedTs < SHORT_LIFE_MS;
}
