import { jsonSyntaxError } from './json-syntax-error.js';
import { JsonFloat } from './json-value.js';

/** Longest number literal that is accepted. Reading an integer takes quadratic time, so it has an end. */
const MAX_NUMBER_LENGTH = 400;

/**
 * Position behind the number literal that starts at `start`, by the grammar of RFC 8259 §6;
 * `isInteger` is false when it has a fraction or an exponent.
 */
export function scanNumberLiteral(text: string, start: number): { end: number; isInteger: boolean } {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  const first = text.charCodeAt(at);
  const afterInteger = skipDigits(text, at);
  if (afterInteger === at) throw jsonSyntaxError('json_syntax', 'unexpected character', at);
  if (first === 0x30 && afterInteger > at + 1) {
    throw jsonSyntaxError('json_syntax', 'number with a leading zero', at);
  }
  at = afterInteger;
  if (text.charCodeAt(at) === 0x2e) at = skipSomeDigits(text, at + 1);
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    at = skipSomeDigits(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
  }
  if (at - start > MAX_NUMBER_LENGTH) throw jsonSyntaxError('json_number_length', 'number too long', start);
  return { end: at, isInteger: at === afterInteger };
}

/**
 * Value of a number literal found by `scanNumberLiteral`. Integers are exact. A fraction, an exponent or
 * `-0` is refused, or kept as text when `keepFloats` is set.
 */
export function numberLiteralValue(
  text: string,
  literal: { start: number; end: number; isInteger: boolean },
  keepFloats: boolean,
): number | bigint | JsonFloat {
  const digits = text.slice(literal.start, literal.end);
  if (!literal.isInteger || digits === '-0') {
    if (keepFloats) return new JsonFloat(digits);
    throw literal.isInteger
      ? jsonSyntaxError('json_negative_zero', 'negative zero', literal.start)
      : jsonSyntaxError('json_float', 'number that is no plain integer', literal.start);
  }
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

function skipDigits(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (!(code >= 0x30 && code <= 0x39)) return at;
    at++;
  }
}

function skipSomeDigits(text: string, from: number): number {
  const end = skipDigits(text, from);
  if (end === from) throw jsonSyntaxError('json_syntax', 'number without digits', from);
  return end;
}
