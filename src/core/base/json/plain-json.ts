import { JsonFloat, isJsonObject, type JsonValue } from './json-value.js';

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
