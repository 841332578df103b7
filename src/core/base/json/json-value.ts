import { Buffer } from 'node:buffer';

import { ApiError } from '../errors/api-error.js';

/**
 * A JSON value as the strict parser returns it. Integers are exact: `number` while safe, `bigint` beyond
 * 2^53-1. Other number literals exist only where the caller asked to keep them, as `JsonFloat`.
 */
export type JsonValue = null | boolean | string | number | bigint | JsonFloat | JsonValue[] | JsonObject;

/** A JSON object. Always without prototype, so that `__proto__` or `constructor` are members like any other. */
export interface JsonObject {
  [member: string]: JsonValue;
}

/** A number literal that is not a plain integer (`1.0`, `1e3`, `-0`), kept as the text that was sent. */
export class JsonFloat {
  constructor(readonly text: string) {}
}

/** A new empty object without prototype. */
export function createJsonObject(): JsonObject {
  const empty: JsonObject = Object.create(null);
  return empty;
}

/** True for a JSON object; false for arrays, `null` and every scalar. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonFloat)
  );
}

/** True for an exact integer of any size, as the strict parser returns it. */
export function isJsonInteger(value: JsonValue | undefined): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
}

/**
 * A parsed value as `JSON.stringify` takes it: integers beyond 2^53-1 become strings, since every reader would round
 * them, other numbers the nearest one. Objects stay without prototype. Nesting must be bounded, as it is in parsed
 * values.
 */
export function toPlainJson(value: JsonValue): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof JsonFloat) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (!isJsonObject(value)) return value;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) plain[name] = toPlainJson(member);
  return plain;
}

/** Deeper values cannot come from the strict parser; refused before the stack is in danger. */
const MAX_DEPTH = 500;

/** A string that needs no escape and no check: printable ASCII without quote and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;
const SURROGATE_UNIT = /[\uD800-\uDFFF]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Canonical JSON (Matrix spec, appendix "Canonical JSON") as what is signed and hashed: no blanks, members sorted by
 * code point, the shortest escapes, exact integers of any size. Throws `ApiError` 500 for what has no canonical form:
 * fractions, -0, numbers beyond 2^53-1 that are no bigint, lone surrogates, undefined, over 500 levels.
 */
export function encodeCanonicalJsonBytes(value: JsonValue): Buffer {
  return Buffer.from(encode(value, 0), 'utf8');
}

function encode(value: JsonValue | undefined, depth: number): string {
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw notCanonical('json_float');
    return String(value);
  }
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (value === undefined) throw notCanonical('json_undefined');
  if (depth >= MAX_DEPTH) throw notCanonical('json_depth');
  if (Array.isArray(value)) return encodeArray(value, depth + 1);
  if (value instanceof JsonFloat) throw notCanonical('json_float');
  return encodeObject(value, depth + 1);
}

function encodeArray(array: readonly JsonValue[], depth: number): string {
  return `[${array.map((value) => encode(value, depth)).join(',')}]`;
}

function encodeObject(object: JsonObject, depth: number): string {
  const names = Object.keys(object);
  if (names.length > 1) sortByCodePoint(names);
  return `{${names.map((name) => `${encodeString(name)}:${encode(object[name], depth)}`).join(',')}}`;
}

function encodeString(text: string): string {
  if (PLAIN.test(text)) return '"' + text + '"';
  if (LONE_SURROGATE.test(text)) throw notCanonical('json_lone_surrogate');
  return JSON.stringify(text);
}

/** By UTF-16 unit, as by default, unless surrogates occur; the order of UTF-8 bytes is that of code points. */
function sortByCodePoint(names: string[]): void {
  if (!names.some((name) => SURROGATE_UNIT.test(name))) names.sort();
  else names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function notCanonical(reason: string): ApiError {
  return new ApiError(500, 'Value has no canonical JSON form', { reason });
}
