import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { numberLiteralValue, scanNumberLiteral } from './json-number-literal.js';
import { MAX_JSON_DEPTH, MAX_JSON_PARTS } from './json-depth.js';
import { readStringLiteral } from './json-string-literal.js';
import { jsonSyntaxError, quoteForDetail, tooManyJsonParts } from './json-syntax-error.js';
import { createJsonObject, type JsonObject, type JsonValue } from './json-value.js';

/** How strict the parser is. */
export interface StrictJsonOptions {
  /** `refuse` (the default) or `keep` number literals that are no plain integers, as `JsonFloat`. */
  readonly floats?: 'refuse' | 'keep';
  /** How many values and escapes the text may have; `MAX_JSON_PARTS` when absent. */
  readonly maxParts?: number;
}

/** For what we have stored: it was bounded when it came, by what was configured then. */
export const STORED_JSON: StrictJsonOptions = { maxParts: Infinity };

/**
 * Parses one JSON text (RFC 8259) without losing or guessing anything: valid UTF-8 without byte order mark,
 * exact integers, no duplicate members, no surrogates without partner, bounded depth and number of values, nothing
 * behind the value. Strings may share memory with the whole text: copy what is kept for long.
 * Throws `ApiError` 400 `M_NOT_JSON`, 413 `M_TOO_LARGE` for too many values; its reason says which rule was broken.
 */
export function parseStrictJson(bytes: Uint8Array, options: StrictJsonOptions = {}): JsonValue {
  return new Reader(decodeUtf8(bytes), options).document();
}

function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString('latin1');
  if (!isUtf8(buffer)) throw jsonSyntaxError('json_not_utf8', 'bytes that are not UTF-8', 0);
  return buffer.toString('utf8');
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Recursive descent over one text. The recursion is bounded because depth is counted before each step down. */
class Reader {
  private at = 0;
  private readonly keepFloats: boolean;
  private readonly maxParts: number;
  private partsLeft: number;

  constructor(
    private readonly text: string,
    options: StrictJsonOptions,
  ) {
    this.keepFloats = options.floats === 'keep';
    this.maxParts = options.maxParts ?? MAX_JSON_PARTS;
    this.partsLeft = this.maxParts;
  }

  document(): JsonValue {
    const value = this.value(0);
    this.skipBlanks();
    if (this.at < this.text.length) throw this.refused('text behind the end of the value');
    return value;
  }

  private value(depth: number): JsonValue {
    this.takeParts(1);
    switch (this.skipBlanks()) {
      case QUOTE:
        return this.string();
      case OPEN_BRACE:
        return this.object(depth + 1);
      case OPEN_BRACKET:
        return this.array(depth + 1);
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(depth: number): JsonObject {
    this.stepDown(depth);
    const object = createJsonObject();
    if (this.skipBlanks() === CLOSE_BRACE) {
      this.at++;
      return object;
    }
    for (;;) {
      if (this.skipBlanks() !== QUOTE) throw this.refused('no member name');
      const start = this.at;
      const name = this.string();
      if (object[name] !== undefined) {
        throw jsonSyntaxError('json_duplicate_member', `second member ${quoteForDetail(name)}`, start);
      }
      if (this.skipBlanks() !== COLON) throw this.refused('no colon behind a member name');
      this.at++;
      object[name] = this.value(depth);
      const code = this.skipBlanks();
      if (code !== COMMA && code !== CLOSE_BRACE) throw this.refused('object not continued');
      this.at++;
      if (code === CLOSE_BRACE) return object;
    }
  }

  private array(depth: number): JsonValue[] {
    this.stepDown(depth);
    const array: JsonValue[] = [];
    if (this.skipBlanks() === CLOSE_BRACKET) {
      this.at++;
      return array;
    }
    for (;;) {
      array.push(this.value(depth));
      const code = this.skipBlanks();
      if (code !== COMMA && code !== CLOSE_BRACKET) throw this.refused('array not continued');
      this.at++;
      if (code === CLOSE_BRACKET) return array;
    }
  }

  private takeParts(count: number): void {
    this.partsLeft -= count;
    if (this.partsLeft < 0) throw tooManyJsonParts(this.maxParts);
  }

  private stepDown(depth: number): void {
    if (depth > MAX_JSON_DEPTH) {
      throw jsonSyntaxError('json_depth', `more than ${MAX_JSON_DEPTH} levels`, this.at);
    }
    this.at++;
  }

  private string(): string {
    const { text } = this;
    const start = this.at + 1;
    let end = start;
    for (;;) {
      const code = text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH || !(code >= 0x20)) {
        const literal = readStringLiteral(text, start, this.partsLeft);
        this.takeParts(literal.escapes);
        this.at = literal.end;
        return literal.value;
      }
      end++;
    }
    this.at = end + 1;
    return text.slice(start, end);
  }

  private number(): JsonValue {
    const { text } = this;
    const start = this.at;
    let at = start;
    let small = 0;
    let code = text.charCodeAt(at);
    while (code >= 0x30 && code <= 0x39 && at - start < 16) {
      small = small * 10 + (code - 0x30);
      code = text.charCodeAt(++at);
    }
    if (at > start && at - start < 16 && isNumberEnd(code) && text.charCodeAt(start) !== 0x30) {
      this.at = at;
      return small;
    }
    return this.anyNumber(start);
  }

  private anyNumber(start: number): JsonValue {
    const { end, isInteger } = scanNumberLiteral(this.text, start);
    this.at = end;
    return numberLiteralValue(this.text, { start, end, isInteger }, this.keepFloats);
  }

  private word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.refused('unexpected character');
    this.at += word.length;
    return value;
  }

  /** Moves to the next character that is no blank and returns its code; NaN at the end of the text. */
  private skipBlanks(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return code;
      this.at++;
    }
  }

  private refused(what: string): Error {
    return jsonSyntaxError('json_syntax', this.at < this.text.length ? what : 'end of text', this.at);
  }
}

/** True for a comma, a closing bracket or a closing brace: a run of digits before it is a whole integer. */
function isNumberEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET;
}
