import type { Clock } from '../../../base/clock.js';
import { LARGE_ANSWER_BYTES, renderAnswer } from '../../key-record/key-answer.js';
import { bytesOf } from '../asked-records.js';
import { isMiss, type KeyQueryLimits } from '../key-query.js';
import type { RecordCache } from '../record-cache.js';
import type { CachedServer, KnownRecord } from './known-server.js';
import { QuotedText } from './quoted-text.js';
import type { ResponseCache } from './response-cache.js';

/** What answers a question, and how many servers it names. */
export interface FreshAnswer {
  records: readonly KnownRecord[];
  servers: number;
}

const HEAD = Buffer.from('{"server_keys":{');
const MINIMUM = Buffer.from('"minimum_valid_until_ts":');
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;
/** `":{` */
const NAME_END_LENGTH = 3;
/** With fewer digits every integer is exact. */
const TOO_MANY_DIGITS = 16;
/** Keys of one server that are told apart by the bits of a number. */
const MAX_KEYS = 30;

/**
 * Reads the body of a POST query (SPEC §4.3) in the form peers send, and looks up what it names in the same pass. A
 * question of a hundred servers is read and answered in less time than a parser takes to read it.
 */
export class PlainQuestion {
  readonly #text: QuotedText;
  readonly #records: KnownRecord[] = [];
  #keyIdsLeft: number;

  constructor(
    private readonly body: Uint8Array,
    private readonly limits: KeyQueryLimits,
    private readonly nowTs: number,
  ) {
    this.#text = new QuotedText(body);
    this.#keyIdsLeft = limits.maxKeyIds;
  }

  /**
   * The records that answer it, each once. `null`, for whoever parses it, when it is not plain (blanks, escapes,
   * members that come twice, mistakes) or beyond a limit, and when the cache has no fresh answer to all of it.
   */
  answer(cache: RecordCache): FreshAnswer | null {
    const { body, nowTs } = this;
    if (!this.#stands(HEAD, 0)) return null;
    // Tells servers that it has named already.
    const number = cache.numberQuestion();
    let servers = 0;
    let at = HEAD.length;
    do {
      const keysAt = this.#memberAt(at);
      if (keysAt === -1 || servers === this.limits.maxServers) return null;
      const known = cache.peekText(this.#text, nowTs);
      if (known === undefined || known.lastQuestion === number) return null;
      known.lastQuestion = number;
      servers += 1;
      at = this.#readKeys(keysAt, known);
      if (at === -1) return null;
    } while (body[at++] === COMMA);
    const isEnd = body[at - 1] === CLOSE_BRACE && body[at] === CLOSE_BRACE && body.length === at + 1;
    return isEnd ? { records: this.#records, servers } : null;
  }

  /** Where the content of a member begins whose value is an object, its name being looked at; else -1. */
  #memberAt(at: number): number {
    const end = this.#text.lookAt(at);
    if (end === -1) return -1;
    return this.body[end + 1] === COLON && this.body[end + 2] === OPEN_BRACE ? end + NAME_END_LENGTH : -1;
  }

  /** Adds what answers the keys of one server; where that ends, or -1. */
  #readKeys(start: number, known: CachedServer): number {
    const { body } = this;
    const records = this.#records;
    const first = records.length;
    if (body[start] === CLOSE_BRACE) {
      for (const record of known.records) records.push(record);
      return records.length > first ? start + 1 : -1;
    }
    let at = start;
    let asked = 0;
    let count = 0;
    do {
      const criterionAt = this.#memberAt(at);
      const index = criterionAt === -1 ? -1 : known.indexOfKey(this.#text);
      if (index === -1 || index >= MAX_KEYS || (asked & (1 << index)) !== 0) return -1;
      asked |= 1 << index;
      count += 1;
      if (count > this.limits.maxKeyIdsPerServer || this.#keyIdsLeft-- === 0) return -1;
      const record = known.keys[index]?.record;
      if (record === undefined) return -1;
      at = this.#readCriterion(criterionAt, record);
      if (at === -1) return -1;
      if (records.length === first || !records.includes(record, first)) records.push(record);
    } while (body[at++] === COMMA);
    return body[at - 1] === CLOSE_BRACE ? at : -1;
  }

  /** Where what is wanted of a key ends; -1 when it is not plain or the record does not reach it. */
  #readCriterion(start: number, record: KnownRecord): number {
    const { body, nowTs } = this;
    let at = start;
    let minimum: number | null = null;
    if (body[at] === QUOTE) {
      if (!this.#stands(MINIMUM, at)) return -1;
      const digitsAt = at + MINIMUM.length;
      at = digitsAt;
      minimum = 0;
      let code = body[at] ?? 0;
      if (code === ZERO) return -1;
      while (code >= ZERO && code <= NINE) {
        minimum = 10 * minimum + code - ZERO;
        code = body[++at] ?? 0;
      }
      if (at === digitsAt || at - digitsAt >= TOO_MANY_DIGITS) return -1;
    }
    return body[at] === CLOSE_BRACE && !isMiss(record, minimum, nowTs) ? at + 1 : -1;
  }

  #stands(text: Uint8Array, start: number): boolean {
    for (let at = 0; at < text.length; at += 1) if (this.body[start + at] !== text[at]) return false;
    return true;
  }
}

/** What questions are answered from. */
export interface PlainAnswering {
  cache: RecordCache;
  clock: Clock;
  /** `null`: every question is parsed. */
  responseCache: ResponseCache | null;
  maxAnswerBytes: number;
  onLookup(result: 'fresh', count: number): void;
}

/**
 * The answer to the body of a question in the form peers send, out of the cache; `null` when it has to be parsed:
 * because of other forms, mistakes, servers to be looked up, large answers, or an answer worth keeping.
 */
export function answerPlain(
  requestBody: Buffer,
  limits: KeyQueryLimits,
  from: PlainAnswering,
): Buffer | null {
  const { responseCache, cache, clock, maxAnswerBytes } = from;
  if (responseCache === null || responseCache.wants(requestBody)) return null;
  const found = new PlainQuestion(requestBody, limits, clock.now()).answer(cache);
  if (found === null || bytesOf(found.records) > Math.min(LARGE_ANSWER_BYTES, maxAnswerBytes)) return null;
  const answer = renderAnswer(found.records);
  if (!(answer instanceof Buffer)) return null;
  from.onLookup('fresh', found.servers);
  return answer;
}
