import { setImmediate } from 'node:timers/promises';

import type { Client } from '../../base/fair-queue.js';
import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { KEY_QUERY_LIMITS, type ServerQuery } from './key-query.js';
import type { FetchReason, RefreshRequest } from './key-fetcher.js';
import { parseServerName, type FederationWhitelist } from '../federation/server-name.js';
import { LARGE_ANSWER_BYTES, renderAnswer, type KeyAnswer } from '../key-record/record-signing.js';
import type { OwnKeys } from '../own-keys/own-keys.js';
import type { KeyRefresher } from './key-refresher.js';
import {
  type FindLimits,
  NOTHING_KNOWN,
  type KnownRecord,
  type KnownServer,
  type RecordCache,
  type RecordTimes,
} from './record-cache.js';

export interface NotaryOptions {
  serverName: string;
  /** Answers queries for our own name; `null` when somebody else publishes its record, so that it is fetched. */
  ownKeys: OwnKeys | null;
  cache: RecordCache;
  refresher: KeyRefresher;
  clock: Clock;
  federationWhitelist: FederationWhitelist;
  /** Look-up and fetches are waited for this long, then what is there is the answer; late results are stored. */
  queryTimeoutMs: number;
  /** Setting federation.fetch_when_unknown: the all-keys form fetches servers nothing is stored of. */
  fetchWhenUnknown: boolean;
  /** Counts servers that were answered from what is stored, and those that had to be fetched. */
  lookups: { inc(labels: { result: 'fresh' | 'missed' }, count: number): void };
}

/** What has been done for a query; it fetches once, however long its answer turns out to be. */
export interface QueryProgress {
  client: Client;
  isJudged?: boolean;
  /** Why the store could not take what was fetched. */
  outage?: { error: unknown };
}

/** How much one query may read, and sign without leaving the event loop. */
type Size = 'small' | 'large';

/** Records signed for the first time in one iteration of the event loop; some 30 µs each. */
const RECORDS_AT_ONCE = 100;
/** The same for long ones, some 20 ns a byte. */
const BYTES_AT_ONCE = 256 * 1024;
/** Servers whose records are read at once when there are many bytes of them. */
const SERVERS_PER_PORTION = 4;
/** What the fetches brought is read once more after the deadline, at the longest for this long. */
const LAST_LOOK_UP_MS = 2000;

/** Answers key queries by the rules of SPEC §4.1 to §4.4, with the bytes of `{"server_keys": [...]}`. */
export class Notary {
  constructor(private readonly options: NotaryOptions) {}

  /**
   * The answer; `null` when it is longer than `LARGE_ANSWER_BYTES`, or takes reading more than that: call `queryLarge`
   * in a slot for large answers. Rejects when the store cannot be reached and something would be missing because of
   * that, with 413 when it would be too large, and with 503 when only our own record, while withheld, is asked for.
   */
  async query(queries: readonly ServerQuery[], progress: QueryProgress): Promise<Buffer | null> {
    const answer = this.fromMemory(queries) ?? (await this.#answer(queries, progress, 'small'));
    return answer instanceof Buffer ? answer : null;
  }

  /** The same for answers of any length, a few records at a time; or a fetch to wait for without a slot before that. */
  async queryLarge(
    queries: readonly ServerQuery[],
    progress: QueryProgress,
  ): Promise<KeyAnswer | (() => Promise<void>)> {
    return (await this.#answer(queries, progress, 'large')) ?? renderAnswer([]);
  }

  /** The answer if all of it is cached, fresh and at most `LARGE_ANSWER_BYTES` long; `null` otherwise. */
  fromMemory(queries: readonly ServerQuery[]): Buffer | null {
    const { clock, serverName, ownKeys, lookups } = this.options;
    const nowTs = clock.now();
    if (queries.length === 1 && queries[0]?.serverName === serverName) ownKeys?.known();
    const found: KnownServer[] = [];
    for (const query of queries) {
      const known = this.#peek(query.serverName, nowTs);
      if (known === undefined || this.#missReason(query, known, nowTs) !== null) return null;
      found.push(known);
    }
    const records = recordsOf(queries, found);
    if (bytesOf(records) > LARGE_ANSWER_BYTES) return null;
    lookups.inc({ result: 'fresh' }, queries.length);
    const answer = renderAnswer(records);
    return answer instanceof Buffer ? answer : null;
  }

  /**
   * SPEC §4.4; the numbers are those of its rules. A function, of large answers, fetches what is missing; it is to be
   * called without a slot. `null` when the look-up found more than it may read.
   */
  async #answer(
    queries: readonly ServerQuery[],
    progress: QueryProgress,
    size: Size,
  ): Promise<KeyAnswer | (() => Promise<void>) | null> {
    const { queryTimeoutMs, refresher, lookups } = this.options;
    const startedMs = performance.now();
    // 1: look up what is stored, and once more after a fetch.
    const limitMs = progress.isJudged ? Math.min(queryTimeoutMs, LAST_LOOK_UP_MS) : queryTimeoutMs;
    const found = await this.#lookUp(queries, limitMs, size);
    if (found === null) return null;
    if (!progress.isJudged) {
      // 2 to 4: find what is missing or too old.
      const misses = this.#misses(queries, found, progress.client);
      progress.isJudged = true;
      lookups.inc({ result: 'fresh' }, queries.length - misses.length);
      lookups.inc({ result: 'missed' }, misses.length);
      if (misses.length > 0) {
        // 6: fetch the misses, and look up once more. What was found is not held meanwhile.
        const hasOthers = misses.length < queries.length;
        const hasAnswer = found.some(({ records }) => records.length > 0);
        found.length = 0;
        const leftMs = Math.max(0, queryTimeoutMs - (performance.now() - startedMs));
        const limits = { limitMs: leftMs, hasOthers, hasAnswer };
        const fetchAll = () =>
          refresher.refreshAll(misses, limits).catch((error: unknown) => void (progress.outage = { error }));
        if (size === 'large') return fetchAll;
        await fetchAll();
        return this.#answer(queries, progress, size);
      }
    }
    // Without the store nobody can tell whether a key exists; one that is known, however stale, is answered.
    const isMissing = (query: ServerQuery, index: number) => this.#isMissing(query, found[index]);
    if (progress.outage !== undefined && queries.some(isMissing)) throw progress.outage.error;
    // 5: what is no miss, or was fetched, is the answer.
    return this.#render(queries, found);
  }

  /** Rule 1. Ends with 413 as soon as too much has been found. */
  async #lookUp(queries: readonly ServerQuery[], limitMs: number, size: Size): Promise<KnownServer[] | null> {
    const isLarge = size === 'large';
    const endMs = performance.now() + limitMs;
    const portion = isLarge ? SERVERS_PER_PORTION : Math.max(1, queries.length);
    const maxBytes = isLarge ? Number.MAX_SAFE_INTEGER : LARGE_ANSWER_BYTES;
    const all: KnownServer[] = [];
    let bytes = 0;
    for (let at = 0; at < queries.length; at += portion) {
      const some = queries.slice(at, at + portion);
      const found = await this.#find(some, { limitMs: Math.max(0, endMs - performance.now()), maxBytes });
      if (found === null) return null;
      bytes += bytesOf(recordsOf(some, found));
      refuseTooLarge(bytes);
      if (bytes > maxBytes) return null;
      all.push(...found);
    }
    return all;
  }

  async #find(queries: readonly ServerQuery[], limits: FindLimits): Promise<KnownServer[] | null> {
    const nowTs = this.options.clock.now();
    const names = queries.map(({ serverName }) => serverName);
    const peeked = names.map((serverName) => this.#peek(serverName, nowTs));
    const missing = new Set(names.filter((_, index) => peeked[index] === undefined));
    if (missing.size === 0) return peeked.map((known) => known ?? NOTHING_KNOWN);
    const stored = await this.options.cache.find([...missing], limits);
    return stored && names.map((name, index) => peeked[index] ?? stored.get(name) ?? NOTHING_KNOWN);
  }

  #peek(serverName: string, nowTs: number): KnownServer | undefined {
    const { ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return ownKeys.peek();
    const cached = this.options.cache.peek(serverName, nowTs);
    return cached ?? (parseServerName(serverName) === null ? NOTHING_KNOWN : undefined);
  }

  /** The servers to fetch, each with the strongest reason (rules 2 to 4, 6). */
  #misses(queries: readonly ServerQuery[], found: readonly KnownServer[], client: Client): RefreshRequest[] {
    const nowTs = this.options.clock.now();
    return queries.flatMap((query, index): RefreshRequest[] => {
      const { serverName } = query;
      const reason = this.#missReason(query, found[index] ?? NOTHING_KNOWN, nowTs);
      return reason === null || !this.#mayFetch(serverName)
        ? []
        : [{ serverName, reason, cause: 'query', client }];
    });
  }

  /** Why a server is fetched, the strongest reason of all keys asked for; `null` when nothing is missing or too old. */
  #missReason({ keys }: ServerQuery, known: KnownServer, nowTs: number): FetchReason | null {
    const newest = known.records.at(-1);
    if (keys.length === 0) return newest === undefined && this.options.fetchWhenUnknown ? 'absent' : null;
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

  #isMissing({ serverName, keys }: ServerQuery, known = NOTHING_KNOWN): boolean {
    if (!this.#mayFetch(serverName)) return false;
    if (keys.length === 0) return this.options.fetchWhenUnknown && known.records.length === 0;
    return keys.some(({ keyId }) => !known.byKeyId.has(keyId));
  }

  /** Rules 6 and 9: only servers on the whitelist, if there is one. */
  #mayFetch(serverName: string): boolean {
    const { federationWhitelist, ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return false;
    return federationWhitelist.allows(serverName) && parseServerName(serverName) !== null;
  }

  /** Rules 7 and 8: each record once, signed with each of our keys; a few in an iteration of the event loop. */
  async #render(queries: readonly ServerQuery[], found: readonly KnownServer[]): Promise<KeyAnswer> {
    const records = recordsOf(queries, found);
    refuseTooLarge(bytesOf(records));
    let [signed, signedBytes] = [0, 0];
    for (const record of records) {
      record.element();
      signed += 1;
      signedBytes += record.publishedBytes;
      if (signed < RECORDS_AT_ONCE && signedBytes < BYTES_AT_ONCE) continue;
      signed = signedBytes = 0;
      await setImmediate();
    }
    return renderAnswer(records);
  }
}

/**
 * Whether a stored record does not satisfy a request (rules 2 to 4).
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

const SHORT_LIFE_MS = 60_000;

/** Whether a record lived so short from its fetch on that refetching it brings no rest. */
function isShortLived(record: RecordTimes): boolean {
  return typeof record.validUntilTs === 'number' && record.validUntilTs - record.addedTs < SHORT_LIFE_MS;
}

/**
 * The records that answer a query, each once; `found` holds what is known of each server of it. No two servers share
 * a record, so only the key ids of one server can lead to the same one.
 */
function recordsOf(queries: readonly ServerQuery[], found: readonly KnownServer[]): KnownRecord[] {
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

/** Their bytes as published. */
function bytesOf(records: readonly KnownRecord[]): number {
  let bytes = 0;
  for (const record of records) bytes += record.publishedBytes;
  return bytes;
}

function refuseTooLarge(bytes: number): void {
  const { maxAnswerBytes } = KEY_QUERY_LIMITS;
  if (bytes <= maxAnswerBytes) return;
  const message = `The answer would be larger than ${maxAnswerBytes} bytes; request fewer servers at a time`;
  throw new ApiError(413, message, { errcode: 'M_TOO_LARGE', bound: 'answer' });
}
