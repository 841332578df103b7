import { Buffer } from 'node:buffer';

const MAX_DEPTH = 500;
const STRING_OR_LARGE = /"(?:[^"\\]|\\.)*"|-?\d{16,}/g;
/** A lone surrogate, which canonical JSON cannot contain, marks large integers inside `JSON.parse`. */
const MARKED = /^\ud800(-?\d+)$/;

/**
 * Reads canonical JSON (Matrix specification, appendix "Canonical JSON"); `null` for any other text: encoding the
 * result must give the same text again. Integers beyond 2^53-1 become `bigint`.
 */
export function parseCanonicalJson(text: string): unknown {
  try {
    const marked = text.replace(STRING_OR_LARGE, (token) =>
      token.startsWith('"') ? token : String.raw`"\ud800${token}"`,
    );
    const value: unknown = JSON.parse(marked, (_, each: unknown) => unmark(each));
    return encodeCanonicalJson(value) === text ? value : null;
  } catch {
    return null;
  }
}

function unmark(value: unknown): unknown {
  const [, digits] = (typeof value === 'string' ? MARKED.exec(value) : null) ?? [];
  if (digits === undefined) return value;
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
}

/** Throws for values that have no canonical form, such as fractions and lone surrogates. */
export function encodeCanonicalJson(value: unknown, depth = 0): string {
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw new Error('lone surrogate');
    return JSON.stringify(value);
  }
  if (typeof value === 'bigint' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (typeof value !== 'object' || depth > MAX_DEPTH) throw new Error('no canonical value');
  const encode = (each: unknown): string => encodeCanonicalJson(each, depth + 1);
  if (Array.isArray(value)) return `[${value.map(encode).join(',')}]`;
  // Canonical JSON demands the order of code points. UTF-8 has it, UTF-16 where there are no surrogates.
  const members = Object.entries(value).toSorted(([a], [b]) =>
    /[\ud800-\udfff]/.test(a + b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1,
  );
  return `{${members.map(([name, each]) => `${encode(name)}:${encode(each)}`).join(',')}}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
