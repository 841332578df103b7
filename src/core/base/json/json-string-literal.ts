import { jsonSyntaxError } from './json-syntax-error.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
]);

/** A string literal that was read, the position behind its closing quote, and how many escapes it had. */
export interface StringLiteral {
  readonly value: string;
  readonly end: number;
  readonly escapes: number;
}

/**
 * Reads a JSON string literal that may hold escapes; `start` is behind the opening quote (RFC 8259 §7).
 * Refuses control characters, unknown escapes and surrogates without their partner (raw ones cannot occur:
 * the text was decoded from valid UTF-8). Reads no further than `maxEscapes` and one more.
 */
export function readStringLiteral(text: string, start: number, maxEscapes: number): StringLiteral {
  const parts: string[] = [];
  let escapes = 0;
  let from = start;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || escapes > maxEscapes) {
      parts.push(text.slice(from, at));
      return { value: parts.join(''), end: at + 1, escapes };
    }
    if (code === BACKSLASH) {
      parts.push(text.slice(from, at));
      const escape = text.charCodeAt(at + 1);
      const part = escape === LETTER_U ? readUnicodeEscape(text, at) : SHORT_ESCAPES.get(escape);
      if (part === undefined) throw jsonSyntaxError('json_syntax', 'unknown escape in a string', at);
      parts.push(part);
      escapes += 1;
      at += escape === LETTER_U ? 6 * part.length : 2;
      from = at;
    } else if (code >= 0x20) {
      at++;
    } else {
      throw jsonSyntaxError('json_syntax', 'control character or end of text inside a string', at);
    }
  }
}

/** One character from `\uXXXX` or from a surrogate pair of two such escapes: 6 characters of text per UTF-16 unit. */
function readUnicodeEscape(text: string, at: number): string {
  const unit = readHexUnit(text, at + 2);
  if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
  if (unit <= 0xdbff && text.charCodeAt(at + 6) === BACKSLASH && text.charCodeAt(at + 7) === LETTER_U) {
    const low = readHexUnit(text, at + 8);
    if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low);
  }
  throw jsonSyntaxError('json_lone_surrogate', 'surrogate without its partner in a string', at);
}

function readHexUnit(text: string, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = hexDigit(text.charCodeAt(i));
    if (digit < 0) throw jsonSyntaxError('json_syntax', 'escape without four hexadecimal digits', at - 2);
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
