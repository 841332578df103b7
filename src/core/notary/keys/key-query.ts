import { SECOND_MS } from '../../base/clock.js';
import type { Client } from '../../base/client.js';
import type { FetchCause } from './fetch-store.js';
import { NOTHING_KNOWN, type KnownRecord, type KnownServer, type RecordTimes } from './record-cache.js';

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

/** A server whose keys are to be fetched. */
export interface RefreshRequest {
  serverName: string;
  reason: FetchReason;
  cause: FetchCause;
  /** Absent: no client asked. */
  client?: Client | undefined;
}

/** How a refresh ended; the label of the metric key_fetch_total. */
export type RefreshOutcome =
  | 'ok'
  | 'failed'
  | 'backoff'
  | 'throttled'
  | 'overloaded'
  | 'not_stored'
  | 'store_unavailable'
  | 'store_full';

const SHORT_LIFE_MS = 60_000;

/** Whether a record lived so short from its fetch on that refetching it brings no rest. */
function isShortLived(record: RecordTimes): boolean {
  return typeof record.validUntilTs === 'number' && record.validUntilTs - record.addedTs < SHORT_LIFE_MS;
}

/** Why a server is fetched, the strongest reason of all keys asked for; `null` when nothing is missing or too old. */
export function missReason(
  { keys }: ServerQuery,
  known: KnownServer,
  { nowTs, fetchWhenUnknown }: { nowTs: number; fetchWhenUnknown: boolean },
): FetchReason | null {
  if (keys.length === 0) return known.records.length === 0 && fetchWhenUnknown ? 'absent' : null;
  const newest = known.records.at(-1);
  let reason: FetchReason | null = null;
  for (const { keyId, minimumValidUntilTs } of keys) {
    const record = known.byKeyId.get(keyId) ?? null;
    if (!isMiss(record, minimumValidUntilTs, nowTs)) continue;
    if (newest === undefined) return 'absent';
    const isOfRecord = record !== null && minimumValidUntilTs === null;
    // The record of an id that vanished stays stale, so while the newest one is fresh a fetch mends nothing.
    if (isOfRecord && !isShortLived(newest) && isPastHalfLife(newest, nowTs)) return 'stale';
    if (record === null) reason ??= 'unknown_key';
    else if (minimumValidUntilTs !== null) reason ??= 'minimum';
    else reason ??= isShortLived(newest) ? 'short_lived' : 'unknown_key';
  }
  return reason;
}

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

/** Whether all of a query is known and fresh. */
export function isFresh({ keys }: ServerQuery, known: KnownServer, nowTs: number): boolean {
  if (keys.length === 0) return known.records.length > 0;
  return keys.every(({ keyId, minimumValidUntilTs }) => {
    const record = known.byKeyId.get(keyId);
    return record !== undefined && !isMiss(record, minimumValidUntilTs, nowTs);
  });
}

/** Their bytes as published. */
export function bytesOf(records: readonly KnownRecord[]): number {
  let bytes = 0;
  for (const record of records) bytes += record.publishedBytes;
  return bytes;
}

/** Where the list stands, or one entry of it, such as `config.yaml:12`; `null` when that is not known. */
export type OriginOf = (position: number | null) => string | null;

/** Setting federation_domain_whitelist, which operators may change while the service runs. */
export class FederationWhitelist {
  #list: readonly string[] = [];
  #names: ReadonlySet<string> | null = null;
  #originOf: OriginOf = () => null;

  /** `names` null: not configured, every server may be asked; empty: none. */
  constructor(names: readonly string[] | null, originOf: OriginOf = () => null) {
    this.replace(names, originOf);
  }

  /** The servers that may be asked; `null` when all may. */
  get names(): ReadonlySet<string> | null {
    return this.#names;
  }

  /** Which setting decides on a server and where it stands, with the entry that names it where there is one. */
  sourceOf(serverName: string): string {
    const position = this.#list.indexOf(serverName);
    const origin = this.#originOf(position === -1 ? null : position);
    const entry = position === -1 ? '' : `entry ${position + 1} of `;
    return `${entry}federation_domain_whitelist${origin === null ? '' : ` (${origin})`}`;
  }

  /** Whether a server may be asked for its keys (SPEC §4.4.6). Names are compared whole. */
  allows(serverName: string): boolean {
    return this.#names === null || this.#names.has(serverName);
  }

  /** Takes other names from now on; fetches under way go on. */
  replace(names: readonly string[] | null, originOf: OriginOf): void {
    this.#list = names ?? [];
    this.#names = names === null ? null : new Set(names);
    this.#originOf = originOf;
  }
}

/** After the last record that came. */
const QUIET_MS = 2 * SECOND_MS;
/** After the first one, or from the beginning when some were known. */
const OTHERS_MS = 4 * SECOND_MS;

/** How long one query waits for its fetches (SPEC §4.4.10): a silent server does not hold up what the others sent. */
export class QueryWait {
  /** Resolves to nothing when the waiting is over. */
  readonly over: Promise<undefined>;
  isOver = false;
  #resolve: (nothing: undefined) => void = () => {};
  #untilMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** `hasOthers`: some of the servers are answered from the store. */
  constructor(
    limitMs: number,
    private hasOthers: boolean,
  ) {
    this.over = new Promise((resolve) => (this.#resolve = resolve));
    this.#untilMs = performance.now() + (hasOthers ? Math.min(limitMs, OTHERS_MS) : limitMs);
    this.#endAt(this.#untilMs);
  }

  /** A fetch brought a record. */
  arrived(): void {
    const nowMs = performance.now();
    if (!this.hasOthers) this.#untilMs = Math.min(this.#untilMs, nowMs + OTHERS_MS);
    this.hasOthers = true;
    if (!this.isOver) this.#endAt(Math.min(this.#untilMs, nowMs + QUIET_MS));
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(undefined);
  }

  #endAt(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), Math.max(0, atMs - performance.now()));
  }
}
