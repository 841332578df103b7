import { setImmediate } from 'node:timers/promises';

import type { Client } from '../../base/client.js';
import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import {
  type FederationWhitelist,
  KEY_QUERY_LIMITS,
  bytesOf,
  isFresh,
  missReason,
  recordsOf,
  type RefreshRequest,
  type ServerQuery,
} from './key-query.js';
import { parseServerName } from '../federation/server-name.js';
import { LARGE_ANSWER_BYTES, renderAnswer, type KeyAnswer } from '../key-record/record-signing.js';
import type { OwnKeys } from '../own-keys/own-keys.js';
import type { KeyRefresher } from './key-refresher.js';
import { NOTHING_KNOWN, type FindLimits, type KnownServer, type RecordCache } from './record-cache.js';

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

/** `null`: more was found than may be read. */
type LookUp = (limitMs: number) => Promise<KnownServer[] | null>;

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

  /** The answer if all of it is cached, fresh and at most `LARGE_ANSWER_BYTES` long; `null` otherwise. */
  fromMemory(queries: readonly ServerQuery[]): Buffer | null {
    const { clock, serverName, ownKeys } = this.options;
    const nowTs = clock.now();
    if (queries.length === 1 && queries[0]?.serverName === serverName) ownKeys?.known();
    const found: KnownServer[] = [];
    for (const query of queries) {
      const known = this.#peek(query.serverName, nowTs);
      if (known === undefined || !isFresh(query, known, nowTs)) return null;
      found.push(known);
    }
    const records = recordsOf(queries, found);
    if (bytesOf(records) > LARGE_ANSWER_BYTES) return null;
    this.options.lookups.inc({ result: 'fresh' }, queries.length);
    return smallOrNull(renderAnswer(records));
  }

  /**
   * The answer; `null` when it is longer than `LARGE_ANSWER_BYTES`, or takes reading more than that: call `queryLarge`
   * in a slot for large answers. Rejects when the store cannot be reached and something would be missing because of
   * that, with 413 when it would be too large, and with 503 when only our own record, while withheld, is asked for.
   */
  async query(queries: readonly ServerQuery[], client?: Client): Promise<Buffer | null> {
    return (
      this.fromMemory(queries) ??
      smallOrNull(await this.#answer(queries, client, (limitMs) => this.#lookUpSmall(queries, limitMs)))
    );
  }

  /** The same for answers of any length; reads and signs a few records at a time. */
  async queryLarge(queries: readonly ServerQuery[], client: Client): Promise<KeyAnswer> {
    const answer = await this.#answer(queries, client, (limitMs) => this.#lookUpLarge(queries, limitMs));
    return answer ?? renderAnswer([]);
  }

  /** SPEC §4.4; the numbers are those of its rules. `null` when the look-up found more than it may read. */
  async #answer(
    queries: readonly ServerQuery[],
    client: Client | undefined,
    lookUp: LookUp,
  ): Promise<KeyAnswer | null> {
    const { queryTimeoutMs, refresher, lookups } = this.options;
    const startedMs = performance.now();
    // 1: look up what is stored.
    const found = await lookUp(queryTimeoutMs);
    if (found === null) return null;
    // 2 to 4: find what is missing or too old.
    const misses = this.#misses(queries, found, client);
    lookups.inc({ result: 'fresh' }, queries.length - misses.length);
    // 5: what is no miss is the answer.
    if (misses.length === 0) return this.#render(queries, found);
    lookups.inc({ result: 'missed' }, misses.length);
    // 6: fetch the misses, and look up once more. What was found is not held meanwhile.
    const hasOthers = misses.length < queries.length;
    const hasAnswer = found.some(({ records }) => records.length > 0);
    found.length = 0;
    const limitMs = Math.max(0, queryTimeoutMs - (performance.now() - startedMs));
    const outage = await refresher
      .refreshAll(misses, { limitMs, hasOthers, hasAnswer })
      .catch((error: unknown) => ({ error }));
    const refreshed = await lookUp(Math.min(queryTimeoutMs, LAST_LOOK_UP_MS));
    if (refreshed === null) return null;
    // Without the store nobody can tell whether a key exists; one that is known, however stale, is answered.
    if (outage !== undefined && this.#lacks(queries, refreshed)) throw outage.error;
    return this.#render(queries, refreshed);
  }

  /** The servers to fetch, each with the strongest reason (rules 2 to 4, 6). */
  #misses(
    queries: readonly ServerQuery[],
    found: readonly KnownServer[],
    client: Client | undefined,
  ): RefreshRequest[] {
    const { clock, fetchWhenUnknown } = this.options;
    const context = { nowTs: clock.now(), fetchWhenUnknown };
    return queries.flatMap((query, index): RefreshRequest[] => {
      const reason = missReason(query, found[index] ?? NOTHING_KNOWN, context);
      const { serverName } = query;
      return reason === null || !this.#mayFetch(serverName)
        ? []
        : [{ serverName, reason, cause: 'query', client }];
    });
  }

  /** Rule 6: only servers on the whitelist, if there is one. */
  #mayFetch(serverName: string): boolean {
    const { federationWhitelist, ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return false;
    return federationWhitelist.allows(serverName);
  }

  /** Whether something is not stored that a fetch might bring. */
  #lacks(queries: readonly ServerQuery[], found: readonly KnownServer[]): boolean {
    return queries.some(({ serverName, keys }, index) => {
      if (!this.#mayFetch(serverName) || parseServerName(serverName) === null) return false;
      const known = found[index] ?? NOTHING_KNOWN;
      if (keys.length === 0) return this.options.fetchWhenUnknown && known.records.length === 0;
      return keys.some(({ keyId }) => !known.byKeyId.has(keyId));
    });
  }

  /** Rules 7 and 8: each record once, signed with each of our keys; a few in an iteration of the event loop. */
  async #render(queries: readonly ServerQuery[], found: readonly KnownServer[]): Promise<KeyAnswer> {
    const records = recordsOf(queries, found);
    this.#refuseTooLarge(bytesOf(records));
    let signed = 0;
    let signedBytes = 0;
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

  #refuseTooLarge(bytes: number): void {
    const { maxAnswerBytes } = KEY_QUERY_LIMITS;
    if (bytes <= maxAnswerBytes) return;
    const message = `The answer would be larger than ${maxAnswerBytes} bytes; ask for less at a time`;
    throw new ApiError(413, message, { errcode: 'M_TOO_LARGE', bound: 'answer' });
  }

  async #lookUpSmall(queries: readonly ServerQuery[], limitMs: number): Promise<KnownServer[] | null> {
    const found = await this.#lookUp(queries, { limitMs, maxBytes: LARGE_ANSWER_BYTES });
    const bytes = found === null ? 0 : bytesOf(recordsOf(queries, found));
    this.#refuseTooLarge(bytes);
    return bytes > LARGE_ANSWER_BYTES ? null : found;
  }

  /** Ends with 413 as soon as too much has been found. */
  async #lookUpLarge(queries: readonly ServerQuery[], limitMs: number): Promise<KnownServer[]> {
    const endMs = performance.now() + limitMs;
    const all: KnownServer[] = [];
    let bytes = 0;
    for (let at = 0; at < queries.length; at += SERVERS_PER_PORTION) {
      const portion = queries.slice(at, at + SERVERS_PER_PORTION);
      const leftMs = Math.max(0, endMs - performance.now());
      const limits = { limitMs: leftMs, maxBytes: Number.MAX_SAFE_INTEGER };
      const found = (await this.#lookUp(portion, limits)) ?? [];
      bytes += bytesOf(recordsOf(portion, found));
      this.#refuseTooLarge(bytes);
      all.push(...found);
    }
    return all;
  }

  async #lookUp(queries: readonly ServerQuery[], limits: FindLimits): Promise<KnownServer[] | null> {
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
}

function smallOrNull(answer: KeyAnswer | null): Buffer | null {
  return answer instanceof Buffer ? answer : null;
}
