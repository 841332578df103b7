import { setImmediate } from 'node:timers/promises';

import type { Asker } from '../../base/places/asker.js';
import type { Clock } from '../../base/clock.js';
import { answerTooLarge } from '../../base/errors/api-error.js';
import type { FederationWhitelist } from '../federation/federation-whitelist.js';
import { parseServerName } from '../federation/server-name.js';
import type { ResponseCache } from './response-cache.js';
import type { RefreshRequest } from './fetching/refresh-request.js';
import { renderAnswer } from '../key-record/key-answer.js';
import type { KeyAnswer } from '../key-record/key-answer.js';
import type { KeyRefresher } from './key-refresher.js';
import { halfLifeTs, isMiss, isPastHalfLife, isShortLived } from './key-query.js';
import type { FetchReason, KeyRequest, ServerQuery } from './key-query.js';
import type { OwnKeys } from '../own-keys/own-keys.js';
import { NOTHING_KNOWN } from './record-cache.js';
import type { KnownRecord, KnownServer, RecordCache } from './record-cache.js';

export interface NotaryOptions {
  serverName: string;
  /** Answers questions about our own name; `null` when somebody else publishes its record, so that it is fetched. */
  ownKeys: OwnKeys | null;
  cache: RecordCache;
  /** `null`: every answer is worked out anew. */
  responseCache: ResponseCache | null;
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
/** What the fetches brought is read once more after the deadline, at the longest for this long. */
const LAST_LOOK_UP_MS = 2000;

/** The key query rules of SPEC §4.1 to §4.4. */
export class Notary {
  constructor(private readonly options: NotaryOptions) {}

  /**
   * Answers a key query with the bytes of `{"server_keys": [...]}` in canonical form. Each server once.
   * Answers at once when everything is cached and fresh; otherwise asks the store and, for misses, the origins.
   * Rejects when the store cannot be reached and the answer would be short of something because of that, and
   * with 413 when the answer would be too large. `requestBody` are the bytes the queries were read from, for
   * `queryAgain`; `asker` is called when something has to be fetched.
   */
  query(
    queries: readonly ServerQuery[],
    requestBody: Buffer | null = null,
    asker: () => Asker | undefined = nobody,
  ): KeyAnswer | Promise<KeyAnswer> {
    const nowTs = this.options.clock.now();
    const found: KnownServer[] = [];
    for (const query of queries) {
      const known = this.#peek(query.serverName, nowTs);
      if (known === undefined) return this.#queryStore(queries, asker);
      found.push(known);
    }
    if (this.#misses(queries, found, nowTs).length > 0) return this.#queryStore(queries, asker);
    this.options.onLookup('fresh', queries.length);
    const answer = renderAnswer(this.#records(queries, found));
    const keeps = requestBody !== null && this.options.responseCache?.wants(requestBody) === true;
    if (keeps && answer instanceof Buffer) {
      this.#keep(requestBody, { queries, found, answer, nowTs });
    }
    return answer;
  }

  /** The answer to a question in the very bytes of an earlier one, if it would be the same; else `null`. */
  queryAgain(requestBody: Buffer): Buffer | null {
    const kept = this.options.responseCache?.recall(requestBody) ?? null;
    if (kept === null) return null;
    this.options.onLookup('fresh', kept.found.length);
    return kept.answer;
  }

  /** Only answers to which every server and every key asked for contributed something fresh out of the cache. */
  #keep(requestBody: Buffer, { queries, found, answer, nowTs }: Answered): void {
    let untilTs = Infinity;
    for (const [index, { keys }] of queries.entries()) {
      const known = found[index];
      if (known?.isCached !== true || known.records.length === 0) return;
      untilTs = Math.min(untilTs, known.servesUntilTs, freshUntilTs(keys, known));
    }
    if (untilTs >= nowTs)
      this.options.responseCache?.keep(requestBody, { answer, found, sinceTs: nowTs, untilTs });
  }

  async #queryStore(queries: readonly ServerQuery[], asker: () => Asker | undefined): Promise<KeyAnswer> {
    const { queryTimeoutMs } = this.options;
    const startedMs = performance.now();
    const found = await this.#lookUp(queries, queryTimeoutMs);
    const misses = this.#misses(queries, found, this.options.clock.now());
    this.options.onLookup('fresh', queries.length - misses.length);
    if (misses.length === 0) return this.#renderInTurns(queries, found);

    this.options.onLookup('missed', misses.length);
    const leftMs = queryTimeoutMs - (performance.now() - startedMs);
    const outage = await this.#refresh(misses, leftMs, asker()).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const refreshed = await this.#lookUp(queries, Math.min(queryTimeoutMs, LAST_LOOK_UP_MS));
    // Without the store nobody can tell whether a key exists; one that is known, however stale, is answered.
    if (outage !== null && this.#lacks(queries, refreshed)) throw outage.error;
    return this.#renderInTurns(queries, refreshed);
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
    let bytes = 0;
    for (const record of records) bytes += record.publishedBytes;
    const { maxAnswerBytes } = this.options;
    if (bytes > maxAnswerBytes) throw answerTooLarge(maxAnswerBytes);
    return records;
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

  async #lookUp(queries: readonly ServerQuery[], limitMs: number): Promise<KnownServer[]> {
    const asked = new Set<string>();
    const nowTs = this.options.clock.now();
    for (const { serverName } of queries)
      if (this.#peek(serverName, nowTs) === undefined) asked.add(serverName);
    const stored = asked.size === 0 ? null : await this.options.cache.find([...asked], limitMs);
    return queries.map(
      ({ serverName }) => stored?.get(serverName) ?? this.#peek(serverName, nowTs) ?? NOTHING_KNOWN,
    );
  }

  #peek(serverName: string, nowTs: number): KnownServer | undefined {
    const { ownKeys } = this.options;
    if (ownKeys !== null && serverName === this.options.serverName) return ownKeys.known();
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
    if (!federationWhitelist.allows(serverName)) return false;
    return parseServerName(serverName) !== null;
  }

  /** Waits for the refreshes, but no longer than that; they go on all the same. */
  async #refresh(misses: readonly RefreshRequest[], limitMs: number, asker?: Asker): Promise<void> {
    const refreshed = this.options.refresher.refreshAll(misses.map((miss) => ({ asker, ...miss })));
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, limitMs));
    });
    try {
      await Promise.race([refreshed, deadline]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const nobody = (): undefined => undefined;

interface Answered {
  queries: readonly ServerQuery[];
  found: readonly KnownServer[];
  answer: Buffer;
  nowTs: number;
}

interface MissContext {
  known: KnownServer;
  minimumValidUntilTs: number | bigint | null;
  nowTs: number;
}

/** Until when none of the requests is a miss, POSIX ms; -Infinity when one is for a key nobody knows. */
function freshUntilTs(requests: readonly KeyRequest[], known: KnownServer): number {
  let untilTs = Infinity;
  for (const { keyId, minimumValidUntilTs } of requests) {
    const record = known.byKeyId.get(keyId);
    if (record === undefined) return -Infinity;
    // What reaches a minimum now always will.
    const reaches = minimumValidUntilTs !== null && record.validUntilTs >= minimumValidUntilTs;
    if (!reaches) untilTs = Math.min(untilTs, minimumValidUntilTs === null ? halfLifeTs(record) : -Infinity);
  }
  return untilTs;
}

function reasonOf(
  record: KnownRecord | null,
  { known, minimumValidUntilTs, nowTs }: MissContext,
): FetchReason {
  const newest = known.records.at(-1);
  if (newest === undefined) return 'absent';
  if (record === null) return 'unknown_key';
  if (minimumValidUntilTs !== null) return 'minimum';
  if (isShortLived(newest)) return 'short_lived';
  // The record of an id that vanished stays stale, so while the newest one is fresh a fetch mends nothing.
  return isPastHalfLife(newest, nowTs) ? 'stale' : 'unknown_key';
}

/** No two servers share a record, so only the key ids of one server can lead to the same one. */
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
