import { Buffer, isUtf8 } from 'node:buffer';

import { ApiError } from '../errors/api-error.js';
import { quoteForDetail } from '../text/strings.js';
import { createJsonObject, JsonFloat, type JsonObject, type JsonValue } from './json-value.js';

/** How strict the parser is. */
export interface StrictJsonOptions {
  /** `refuse` (the default) or `keep` number literals that are no plain integers, as `JsonFloat`. */
  readonly floats?: 'refuse' | 'keep';
  /** How many values the text may have; `MAX_JSON_VALUES` when absent. */
  readonly maxValues?: number;
}

/** Why a text is not accepted as JSON; the `reason` of the error. */
export type JsonErrorReason =
  | 'json_not_utf8'
  | 'json_syntax'
  | 'json_depth'
  | 'json_parts'
  | 'json_duplicate_member'
  | 'json_float'
  | 'json_negative_zero'
  | 'json_number_length'
  | 'json_lone_surrogate';

/**
 * Values that are read of an untrusted JSON text unless its reader needs more: 1 to 2 µs each, on the event
 * loop. A key record of 250 keys has some 600.
 */
export const MAX_JSON_VALUES = 10_000;
const MAX_DEPTH = 64;
/** Reading an integer takes quadratic time, so it has an end. */
const MAX_NUMBER_LENGTH = 400;

/** For what we have stored: it was bounded when it came, by what was configured then. */
export const STORED_JSON: StrictJsonOptions = { maxValues: Infinity };

/**
 * Parses one JSON text (RFC 8259) without losing or guessing anything: valid UTF-8 without byte order mark,
 * exact integers, no duplicate members, no surrogates without partner, bounded depth and number of values, nothing
 * behind the value. Strings may share memory with the whole text: copy what is kept for long.
 * Throws `ApiError` 400 `M_NOT_JSON`, 413 `M_TOO_LARGE` for too many values; its reason says which rule was broken.
 */
export function parseStrictJson(bytes: Uint8Array, options: StrictJsonOptions = {}): JsonValue {
  if (!isUtf8(bytes)) throw notJson('json_not_utf8', 'bytes that are not UTF-8', 0);
  const { buffer, byteOffset, byteLength } = bytes;
  return new Reader(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'), options).document();
}

/** The same of what need not be JSON, with numbers of every form; `null` where it is none. */
export function parseJsonOrNull(bytes: Uint8Array): JsonValue {
  try {
    return parseStrictJson(bytes, { floats: 'keep' });
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** `at` counts UTF-16 units from the start of the text, from 0. */
function notJson(reason: JsonErrorReason, what: string, at: number): ApiError {
  return new ApiError(400, 'Content not JSON.', {
    errcode: 'M_NOT_JSON',
    ...(reason === 'json_depth' ? { bound: 'json' } : {}),
    reason,
    detail: `${what} at character ${at}`,
  });
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ZERO = 0x30;
const DOT = 0x2e;
const E = 0x65;
const LARGE_E = 0x45;
const WORDS = new Map([
  [0x74, { word: 'true', value: true }],
  [0x66, { word: 'false', value: false }],
  [0x6e, { word: 'null', value: null }],
]);
// oxlint-disable-next-line no-control-regex -- JSON forbids them in strings
const STRING = /"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x1f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)((?:\.\d+)?(?:e[+-]?\d+)?)/iy;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Recursive descent over one text. The recursion is bounded because depth is counted before each step down. */
class Reader {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly options: StrictJsonOptions,
  ) {}

  document(): JsonValue {
    const value = this.value(0);
    this.skipBlanks();
    if (this.at < this.text.length) throw this.refused('text after the end of the value');
    return value;
  }

  private value(depth: number): JsonValue {
    const { maxValues = MAX_JSON_VALUES } = this.options;
    this.values += 1;
    if (this.values > maxValues)
      throw new ApiError(413, `Content has more than ${maxValues} JSON values`, {
        errcode: 'M_TOO_LARGE',
        bound: 'json',
        reason: 'json_parts' satisfies JsonErrorReason,
      });
    const code = this.skipBlanks();
    if (code === QUOTE) return this.string();
    if (code === OPEN_BRACE) return this.object(depth + 1);
    if (code === OPEN_BRACKET) return this.array(depth + 1);
    const { word, value } = WORDS.get(code) ?? {};
    if (word === undefined || value === undefined) return this.number();
    if (!this.text.startsWith(word, this.at)) throw this.refused('unexpected character');
    this.at += word.length;
    return value;
  }

  private object(depth: number): JsonObject {
    const object = createJsonObject();
    this.members(depth, CLOSE_BRACE, () => {
      if (this.skipBlanks() !== QUOTE) throw this.refused('missing member name');
      const start = this.at;
      const name = this.string();
      if (object[name] !== undefined)
        throw notJson('json_duplicate_member', `second member ${quoteForDetail(name)}`, start);
      if (this.skipBlanks() !== COLON) throw this.refused('missing colon after a member name');
      this.at += 1;
      object[name] = this.value(depth);
    });
    return object;
  }

  private array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    this.members(depth, CLOSE_BRACKET, () => array.push(this.value(depth)));
    return array;
  }

  /** From an opening bracket to behind the closing one. */
  private members(depth: number, close: number, read: () => void): void {
    if (depth > MAX_DEPTH) throw notJson('json_depth', `more than ${MAX_DEPTH} levels`, this.at);
    this.at += 1;
    let code = this.skipBlanks();
    if (code === close) this.at += 1;
    while (code !== close) {
      read();
      code = this.skipBlanks();
      if (code !== COMMA && code !== close) throw this.refused('expected a comma or the end');
      this.at += 1;
    }
  }

  private string(): string {
    const start = this.at + 1;
    for (let end = start; ; end += 1) {
      const code = this.text.charCodeAt(end);
      if (code === QUOTE) {
        this.at = end + 1;
        return this.text.slice(start, end);
      }
      if (code === BACKSLASH || !(code >= 0x20)) return this.escapedString();
    }
  }

  private escapedString(): string {
    const start = this.at;
    const literal = this.literal(STRING)?.[0];
    if (literal === undefined) throw this.refused('invalid string');
    const value = String(JSON.parse(literal));
    if (LONE_SURROGATE.test(value)) throw notJson('json_lone_surrogate', 'lone surrogate in a string', start);
    return value;
  }

  /** Integers are exact; a fraction, an exponent or `-0` is refused, or kept as text. */
  private number(): JsonValue {
    const start = this.at;
    const short = this.shortInteger();
    if (short !== null) return short;
    const [digits, behind] = this.literal(NUMBER) ?? [];
    if (digits === undefined) throw this.refused('unexpected character');
    if (digits.length > MAX_NUMBER_LENGTH) throw notJson('json_number_length', 'number too long', start);
    if (behind === '' && digits !== '-0') {
      const value = Number(digits);
      return Number.isSafeInteger(value) ? value : BigInt(digits);
    }
    if (this.options.floats === 'keep') return new JsonFloat(digits);
    throw behind === ''
      ? notJson('json_negative_zero', 'negative zero', start)
      : notJson('json_float', 'number that is not a plain integer', start);
  }

  /** Up to fifteen digits, the first no zero, and nothing behind them that belongs to a number. */
  private shortInteger(): number | null {
    let value = 0;
    for (let end = this.at; end < this.at + 16; end += 1) {
      const code = this.text.charCodeAt(end);
      const digit = code - ZERO;
      if (digit >= 0 && digit <= 9 && (value > 0 || digit > 0)) value = value * 10 + digit;
      else if (value === 0 || code === DOT || code === E || code === LARGE_E) return null;
      else {
        this.at = end;
        return value;
      }
    }
    return null;
  }

  private literal(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found !== null) this.at = expression.lastIndex;
    return found;
  }

  /** Moves to the next character that is no blank and returns its code; NaN at the end of the text. */
  private skipBlanks(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return code;
      this.at += 1;
    }
  }

  private refused(what: string): ApiError {
    return notJson('json_syntax', this.at < this.text.length ? what : 'end of text', this.at);
  }
}
