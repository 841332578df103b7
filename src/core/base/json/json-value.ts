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
