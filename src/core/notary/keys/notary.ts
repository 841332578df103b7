import { setImmediate } from 'node:timers/promises';

import type { Asker } from '../../base/places/asker.js';
import type { Clock } from '../../base/clock.js';
import { answerTooLarge } from '../../base/errors/api-error.js';
import type { FederationWhitelist } from '../federation/federation-whitelist.js';
import { parseServerName } from '../federation/server-name.js';
import type { RefreshRequest } from './fetching/refresh-request.js';
import { LARGE_ANSWER_BYTES, renderAnswer, type KeyAnswer } from '../key-record/key-answer.js';
import { FetchWait } from './fetch-wait.js';
import type { KeyRefresher } from './key-refresher.js';
import { isMiss, type FetchReason, type ServerQuery } from './key-query.js';
import type { OwnKeys } from '../own-keys/own-keys.js';
import { NOTHING_KNOWN, type KnownRecord, type KnownServer } from './cached/known-server.js';
import type { FindLimits, RecordCache } from './record-cache.js';
import { addFresh, bytesOf, isLarge, reasonOf, recordsOf } from './asked-records.js';

export interface NotaryOptions {
  serverName: string;
  /** Answers questions about our own name; `null` when somebody else publishes its record, so that it is fetched. */
  ownKeys: OwnKeys | null;
  cache: RecordCache;
  refresher: KeyRefresher;
  clock: Clock;
  federationWhitelist: FederationWhitelist;
  /** Look-up and fetches are waited for this long, then what is there is the answer; late results are stored. */
  queryTimeoutMs: number;
  /** Setting federation.fetch_when_unknown: the all-keys form fetches servers nothing is stored of. */
  fetchWhenUnknown: boolean;
  /** Setting keys.max_answer_size: larger answers are refused, so that nobody can have us assemble them. */
  maxAnswerBytes: number;
  /** Told of every query: how many servers were answered from what is stored, how many had to be fetched. */
  onLookup(result: 'fresh' | 'missed', count: number): void;
}

/** Records signed for the first time before the event loop gets its turn; some 30 µs each. */
const RECORDS_PER_TURN = 100;
/** The same for long ones, some 20 ns a byte. */
const BYTES_PER_TURN = 256 * 1024;
/** Servers whose records are read at once when there are many bytes of them. */
const SERVERS_PER_PORTION = 4;
/** What the fetches brought is read once more after the deadline, at the longest for this long. */
const LAST_LOOK_UP_MS = 2000;

/** The key query rules of SPEC §4.1 to §4.4. */
export class Notary {
  constructor(private readonly options: NotaryOptions) {}

  /**
   * Answers a key query with the bytes of `{"server_keys": [...]}` in canonical form, each server once. At once when
   * everything is cached and fresh; otherwise asks the store and, for misses, the origins. `null` when that is, or takes
   * reading, more than `LARGE_ANSWER_BYTES`: for `queryLarge`, when its turn has come. Rejects when the store cannot be
   * reached and something would be missing because of that, with 413 when it would be too large, and with 503 when only
   * our own record, while withheld, is asked for. `asker` is called when something has to be fetched.
   */
  query(
    queries: readonly ServerQuery[],
    asker: () => Asker | undefined = nobody,
  ): Buffer | null | Promise<Buffer | null> {
    const { clock, serverName, ownKeys } = this.options;
    const nowTs = clock.now();
    if (queries.length === 1 && queries[0]?.serverName === serverName) ownKeys?.known();
    const records: KnownRecord[] = [];
    for (const query of queries) {
      const known = this.#peek(query.serverName, nowTs);
      if (known === undefined || !addFresh(records, query, { known, nowTs }))
        return this.#querySmall(queries, asker);
    }
    const bytes = bytesOf(records);
    this.#refuseTooLarge(bytes);
    if (bytes > LARGE_ANSWER_BYTES) return null;
    this.options.onLookup('fresh', queries.length);
    return smallOrNull(renderAnswer(records));
  }

  /** The same for answers of any length; reads and signs a few records at a time. */
  async queryLarge(queries: readonly ServerQuery[], asker: () => Asker | undefined): Promise<KeyAnswer> {
    const answer = await this.#queryStore(queries, asker, (limitMs) => this.#lookUpLarge(queries, limitMs));
    return answer ?? renderAnswer([]);
  }

  async #querySmall(queries: readonly ServerQuery[], asker: () => Asker | undefined): Promise<Buffer | null> {
    const answer = await this.#queryStore(queries, asker, (limitMs) => this.#lookUpSmall(queries, limitMs));
    return answer === null ? null : smallOrNull(answer);
  }

  /** `null` when the look-up found more than it may read. */
  async #queryStore(
    queries: readonly ServerQuery[],
    asker: () => Asker | undefined,
    lookUp: (limitMs: number) => Promise<KnownServer[] | null>,
  ): Promise<KeyAnswer | null> {
    const { queryTimeoutMs } = this.options;
    const startedMs = performance.now();
    const first = await this.#lookForMisses(queries, lookUp);
    if (first === null) return null;
    const { misses, found } = first;
    this.options.onLookup('fresh', queries.length - misses.length);
    if (found !== null) return this.#renderInTurns(queries, found);

    this.options.onLookup('missed', misses.length);
    const leftMs = queryTimeoutMs - (performance.now() - startedMs);
    const wait = new FetchWait(leftMs, misses.length < queries.length);
    const outage = await this.#refresh(misses, wait, asker()).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const refreshed = await lookUp(Math.min(queryTimeoutMs, LAST_LOOK_UP_MS));
    if (refreshed === null) return null;
    // Without the store nobody can tell whether a key exists; one that is known, however stale, is answered.
    if (outage !== null && this.#lacks(queries, refreshed)) throw outage.error;
    return this.#renderInTurns(queries, refreshed);
  }

  /** What was found is kept only when nothing has to be fetched: many questions wait for that at once. */
  async #lookForMisses(
    queries: readonly ServerQuery[],
    lookUp: (limitMs: number) => Promise<KnownServer[] | null>,
  ): Promise<{ misses: RefreshRequest[]; found: KnownServer[] | null } | null> {
    const found = await lookUp(this.options.queryTimeoutMs);
    if (found === null) return null;
    const misses = this.#misses(queries, found, this.options.clock.now());
    return { misses, found: misses.length === 0 ? found : null };
  }

  /** The same after the store was asked: signs what has not been signed yet, a few records at a turn. */
  async #renderInTurns(queries: readonly ServerQuery[], found: readonly KnownServer[]): Promise<KeyAnswer> {
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
    const { maxAnswerBytes } = this.options;
    if (bytes > maxAnswerBytes) throw answerTooLarge(maxAnswerBytes);
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

  /** The servers that have to be asked, each with the strongest reason (SPEC §4.4.2 to §4.4.6). */
  #misses(queries: readonly ServerQuery[], found: readonly KnownServer[], nowTs: number): RefreshRequest[] {
    const misses: RefreshRequest[] = [];
    queries.forEach((query, index) => {
      const known = found[index] ?? NOTHING_KNOWN;
      const reason = this.#missReason(query, known, nowTs);
      if (reason !== null && this.#mayFetch(query.serverName)) {
        misses.push({ serverName: query.serverName, reason, cause: 'query' });
      }
    });
    return misses;
  }

  #missReason(query: ServerQuery, known: KnownServer, nowTs: number): FetchReason | null {
    if (query.keys.length === 0) {
      return known.records.length === 0 && this.options.fetchWhenUnknown ? 'absent' : null;
    }
    let reason: FetchReason | null = null;
    for (const { keyId, minimumValidUntilTs } of query.keys) {
      const record = known.byKeyId.get(keyId) ?? null;
      if (!isMiss(record, minimumValidUntilTs, nowTs)) continue;
      const candidate = reasonOf(record, { known, minimumValidUntilTs, nowTs });
      if (candidate === 'absent' || candidate === 'stale') return candidate;
      reason ??= candidate;
    }
    return reason;
  }

  #mayFetch(serverName: string): boolean {
    const { federationWhitelist, ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return false;
    return federationWhitelist.allows(serverName) && parseServerName(serverName) !== null;
  }

  /** Waits for the refreshes as long as `wait` says; they go on all the same. */
  async #refresh(misses: readonly RefreshRequest[], wait: FetchWait, asker?: Asker): Promise<void> {
    const requests = misses.map((miss) => ({ asker, ...miss }));
    try {
      await Promise.race([this.options.refresher.refreshAll(requests, () => wait.arrived()), wait.over]);
    } finally {
      wait.close();
    }
  }
}

const nobody = (): undefined => undefined;

function smallOrNull(answer: KeyAnswer): Buffer | null {
  return answer instanceof Buffer ? answer : null;
}
