import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Client } from '../../base/client.js';
import type { FederationWhitelist } from '../federation/federation-whitelist.js';
import { parseServerName } from '../federation/server-name.js';
import { LARGE_ANSWER_BYTES, renderAnswer, type KeyAnswer } from '../key-record/key-answer.js';
import type { OwnKeys } from '../own-keys/own-keys.js';
import { addFresh, bytesOf, isLarge, missReason, recordsOf } from './asked-records.js';
import { NOTHING_KNOWN, type KnownRecord, type KnownServer } from './cached/known-server.js';
import { FetchWait } from './fetch-wait.js';
import type { KeyRefresher } from './key-refresher.js';
import { KEY_QUERY_LIMITS, type ServerQuery } from './key-query.js';
import type { FindLimits, RecordCache } from './record-cache.js';
import type { RefreshRequest } from './refresh-request.js';

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
  /** Called for every query: how many servers were answered from what is stored, how many had to be fetched. */
  onLookup: (result: 'fresh' | 'missed', count: number) => void;
}

type LookUp = (limitMs: number) => Promise<KnownServer[] | null>;

/** Records signed for the first time before the event loop gets its turn; some 30 µs each. */
const RECORDS_PER_TURN = 100;
/** The same for long ones, some 20 ns a byte. */
const BYTES_PER_TURN = 256 * 1024;
/** Servers whose records are read at once when there are many bytes of them. */
const SERVERS_PER_PORTION = 4;
/** What the fetches brought is read once more after the deadline, at the longest for this long. */
const LAST_LOOK_UP_MS = 2000;

/** Answers key queries by the rules of SPEC §4.1 to §4.4, with the bytes of `{"server_keys": [...]}`. */
export class Notary {
  constructor(private readonly options: NotaryOptions) {}

  /**
   * The answer, at once when everything is cached and fresh. `null` when it is longer than `LARGE_ANSWER_BYTES`, or
   * takes reading more than that: call `queryLarge` in a slot for large answers. Rejects when the store cannot be
   * reached and something would be missing because of that, with 413 when it would be too large, and with 503 when only
   * our own record, while withheld, is asked for. `client` is called when something has to be fetched.
   */
  query(
    queries: readonly ServerQuery[],
    client: () => Client | undefined = nobody,
  ): Buffer | null | Promise<Buffer | null> {
    const records = this.#fresh(queries);
    if (records === null)
      return this.#answer(queries, client, (limitMs) => this.#lookUpSmall(queries, limitMs)).then(
        smallOrNull,
      );
    const bytes = bytesOf(records);
    this.#refuseTooLarge(bytes);
    if (bytes > LARGE_ANSWER_BYTES) return null;
    this.options.onLookup('fresh', queries.length);
    return smallOrNull(renderAnswer(records));
  }

  /** The answer if all of it is cached, fresh and at most `LARGE_ANSWER_BYTES` long; `null` otherwise. */
  fromMemory(queries: readonly ServerQuery[]): Buffer | null {
    const records = this.#fresh(queries);
    if (records === null || bytesOf(records) > LARGE_ANSWER_BYTES) return null;
    this.options.onLookup('fresh', queries.length);
    return smallOrNull(renderAnswer(records));
  }

  /** The records of the answer, if all of them are cached and fresh. */
  #fresh(queries: readonly ServerQuery[]): KnownRecord[] | null {
    const { clock, serverName, ownKeys } = this.options;
    const nowTs = clock.now();
    if (queries.length === 1 && queries[0]?.serverName === serverName) ownKeys?.known();
    const records: KnownRecord[] = [];
    for (const query of queries) {
      const known = this.#peek(query.serverName, nowTs);
      if (known === undefined || !addFresh(records, query, { known, nowTs })) return null;
    }
    return records;
  }

  /** The same for answers of any length; reads and signs a few records at a time. */
  async queryLarge(queries: readonly ServerQuery[], client: () => Client | undefined): Promise<KeyAnswer> {
    const answer = await this.#answer(queries, client, (limitMs) => this.#lookUpLarge(queries, limitMs));
    return answer ?? renderAnswer([]);
  }

  /** SPEC §4.4; the numbers are those of its rules. `null` when the look-up found more than it may read. */
  async #answer(
    queries: readonly ServerQuery[],
    client: () => Client | undefined,
    lookUp: LookUp,
  ): Promise<KeyAnswer | null> {
    const { queryTimeoutMs, onLookup } = this.options;
    const startedMs = performance.now();
    // 1 to 4: look up what is stored, and find what is missing or too old.
    const first = await this.#lookForMisses(queries, lookUp);
    if (first === null) return null;
    const { misses, found, hasRecords } = first;
    onLookup('fresh', queries.length - misses.length);
    // 5: what is no miss is the answer.
    if (found !== null) return this.#render(queries, found);
    onLookup('missed', misses.length);
    // 6: fetch the misses, and look up once more.
    const wait = new FetchWait(queryTimeoutMs - (performance.now() - startedMs), {
      hasOthers: misses.length < queries.length,
    });
    const outage = await this.#refresh(misses, { wait, client: client(), hasAnswer: hasRecords });
    const refreshed = await lookUp(Math.min(queryTimeoutMs, LAST_LOOK_UP_MS));
    if (refreshed === null) return null;
    // Without the store nobody can tell whether a key exists; one that is known, however stale, is answered.
    if (outage !== null && this.#lacks(queries, refreshed)) throw outage.error;
    return this.#render(queries, refreshed);
  }

  /** What was found is kept only when nothing has to be fetched: many queries wait for that at once. */
  async #lookForMisses(
    queries: readonly ServerQuery[],
    lookUp: LookUp,
  ): Promise<{ misses: RefreshRequest[]; found: KnownServer[] | null; hasRecords: boolean } | null> {
    const found = await lookUp(this.options.queryTimeoutMs);
    if (found === null) return null;
    const misses = this.#misses(queries, found);
    const hasRecords = found.some(({ records }) => records.length > 0);
    return { misses, found: misses.length === 0 ? found : null, hasRecords };
  }

  /** The servers to fetch, each with the strongest reason (rules 2 to 4, 6). */
  #misses(queries: readonly ServerQuery[], found: readonly KnownServer[]): RefreshRequest[] {
    const nowTs = this.options.clock.now();
    const { fetchWhenUnknown } = this.options;
    return queries.flatMap((query, index): RefreshRequest[] => {
      const known = found[index] ?? NOTHING_KNOWN;
      const reason = missReason(query, { known, nowTs, fetchWhenUnknown });
      if (reason === null || !this.#mayFetch(query.serverName)) return [];
      return [{ serverName: query.serverName, reason, cause: 'query' }];
    });
  }

  /** Rule 6: only servers on the whitelist, if there is one. */
  #mayFetch(serverName: string): boolean {
    const { federationWhitelist, ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return false;
    return federationWhitelist.allows(serverName) && parseServerName(serverName) !== null;
  }

  /** Waits for the refreshes as long as `wait` says; they go on all the same. Returns why the store failed. */
  async #refresh(
    misses: readonly RefreshRequest[],
    { wait, client, hasAnswer }: { wait: FetchWait; client: Client | undefined; hasAnswer: boolean },
  ): Promise<{ error: unknown } | null> {
    const requests = misses.map((miss) => ({ client, ...miss }));
    const isWaiting = (): boolean => !wait.isOver;
    const refreshes = this.options.refresher.refreshAll(requests, {
      onRecord: () => wait.arrived(),
      isWaiting,
      hasAnswer,
    });
    try {
      await Promise.race([refreshes, wait.over]);
      return null;
    } catch (error) {
      return { error };
    } finally {
      wait.close();
    }
  }

  /** Whether something is not stored that a fetch might bring. */
  #lacks(queries: readonly ServerQuery[], found: readonly KnownServer[]): boolean {
    return queries.some(({ serverName, keys }, index) => {
      if (!this.#mayFetch(serverName)) return false;
      const known = found[index] ?? NOTHING_KNOWN;
      if (keys.length === 0) return this.options.fetchWhenUnknown && known.records.length === 0;
      return keys.some(({ keyId }) => !known.byKeyId.has(keyId));
    });
  }

  /** Rules 7 and 8: each record once, signed with each of our keys; a few at a turn of the event loop. */
  async #render(queries: readonly ServerQuery[], found: readonly KnownServer[]): Promise<KeyAnswer> {
    const records = this.#records(queries, found);
    let signed = 0;
    let signedBytes = 0;
    for (const record of records) {
      record.element();
      signed += 1;
      signedBytes += record.publishedBytes;
      if (signed < RECORDS_PER_TURN && signedBytes < BYTES_PER_TURN) continue;
      signed = signedBytes = 0;
      await setImmediate();
    }
    return renderAnswer(records);
  }

  /** The records that answer a query, each once. Throws 413 when they are too large together. */
  #records(queries: readonly ServerQuery[], found: readonly KnownServer[]): KnownRecord[] {
    const records = recordsOf(queries, found);
    this.#refuseTooLarge(bytesOf(records));
    return records;
  }

  #refuseTooLarge(bytes: number): void {
    const { maxAnswerBytes } = KEY_QUERY_LIMITS;
    if (bytes <= maxAnswerBytes) return;
    const message = `The answer would be larger than ${maxAnswerBytes} bytes; ask for less at a time`;
    throw new ApiError(413, message, { errcode: 'M_TOO_LARGE', bound: 'answer' });
  }

  async #lookUpSmall(queries: readonly ServerQuery[], limitMs: number): Promise<KnownServer[] | null> {
    const found = await this.#lookUp(queries, { limitMs, maxBytes: LARGE_ANSWER_BYTES });
    return found === null || isLarge(this.#records(queries, found)) ? null : found;
  }

  /** Ends with 413 as soon as too much has been found. */
  async #lookUpLarge(queries: readonly ServerQuery[], limitMs: number): Promise<KnownServer[]> {
    const endMs = performance.now() + limitMs;
    const all: KnownServer[] = [];
    let bytes = 0;
    for (let at = 0; at < queries.length; at += SERVERS_PER_PORTION) {
      const portion = queries.slice(at, at + SERVERS_PER_PORTION);
      const leftMs = Math.max(0, endMs - performance.now());
      const found =
        (await this.#lookUp(portion, { limitMs: leftMs, maxBytes: Number.MAX_SAFE_INTEGER })) ?? [];
      bytes += bytesOf(recordsOf(portion, found));
      this.#refuseTooLarge(bytes);
      all.push(...found);
    }
    return all;
  }

  async #lookUp(queries: readonly ServerQuery[], limits: FindLimits): Promise<KnownServer[] | null> {
    const asked = new Set<string>();
    const nowTs = this.options.clock.now();
    for (const { serverName } of queries)
      if (this.#peek(serverName, nowTs) === undefined) asked.add(serverName);
    const stored =
      asked.size === 0 ? new Map<string, KnownServer>() : await this.options.cache.find([...asked], limits);
    if (stored === null) return null;
    return queries.map(
      ({ serverName }) => stored.get(serverName) ?? this.#peek(serverName, nowTs) ?? NOTHING_KNOWN,
    );
  }

  #peek(serverName: string, nowTs: number): KnownServer | undefined {
    const { ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return ownKeys.peek();
    return (
      this.options.cache.peek(serverName, nowTs) ??
      (parseServerName(serverName) === null ? NOTHING_KNOWN : undefined)
    );
  }
}

const nobody = (): undefined => undefined;

function smallOrNull(answer: KeyAnswer | null): Buffer | null {
  return answer instanceof Buffer ? answer : null;
}
