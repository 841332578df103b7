/** A value of canonical JSON. Integers beyond 2^53-1 are `bigint`. */
export type CanonicalValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly CanonicalValue[]
  | CanonicalObject;

/** Without prototype, so that `__proto__` is a member like any other. */
export interface CanonicalObject {
  [member: string]: CanonicalValue;
}

const MAX_DEPTH = 500;
const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|-?\d+|true|false|null/y;

/**
 * Reads canonical JSON (Matrix specification, appendix "Canonical JSON"); `null` for any other text. Whatever is
 * accepted is encoded to the same text again, so no second spelling of anything gets through.
 */
export function parseCanonicalJson(text: string): CanonicalValue {
  try {
    const reader = new Reader(text);
    const value = reader.value(0);
    return encodeCanonicalJson(value) === text ? value : null;
  } catch {
    return null;
  }
}

/** Throws for values that have no canonical form, such as fractions and lone surrogates. */
export function encodeCanonicalJson(value: unknown): string {
  return encode(value, 0);
}

export function isObject(value: CanonicalValue | undefined): value is CanonicalObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lenient about blanks and order: the caller compares the encoded result. */
class Reader {
  #at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): CanonicalValue {
    if (depth > MAX_DEPTH) throw new Error('too deep');
    const token = this.#next();
    if (token === '{') return this.#object(depth + 1);
    if (token === '[') return this.#array(depth + 1);
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (token === 'true' || token === 'false') return token === 'true';
    if (token === 'null') return null;
    const number = Number(token);
    return Number.isSafeInteger(number) ? number : BigInt(token);
  }

  #object(depth: number): CanonicalObject {
    const object: CanonicalObject = Object.create(null);
    if (this.#skip('}')) return object;
    do {
      const name = JSON.parse(this.#next()) as string;
      this.#expect(':');
      object[name] = this.value(depth);
    } while (this.#skip(','));
    this.#expect('}');
    return object;
  }

  #array(depth: number): CanonicalValue[] {
    const array: CanonicalValue[] = [];
    if (this.#skip(']')) return array;
    do array.push(this.value(depth));
    while (this.#skip(','));
    this.#expect(']');
    return array;
  }

  #next(): string {
    TOKEN.lastIndex = this.#at;
    const [token] = TOKEN.exec(this.text) ?? [];
    if (token === undefined) throw new Error('no JSON');
    this.#at += token.length;
    return token;
  }

  #skip(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw new Error('no JSON');
  }
}

function encode(value: unknown, depth: number): string {
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'bigint' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new Error('no canonical number');
    return String(value);
  }
  if (typeof value !== 'object' || depth > MAX_DEPTH) throw new Error('no canonical value');
  if (Array.isArray(value)) return `[${value.map((each) => encode(each, depth + 1)).join(',')}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => compareCodePoints(a, b));
  const lines = members.map(([name, each]) => `${encodeString(name)}:${encode(each, depth + 1)}`);
  return `{${lines.join(',')}}`;
}

function encodeString(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new Error('lone surrogate');
  return JSON.stringify(text);
}

/** The default order is by UTF-16 unit, which differs from code points where surrogates occur. */
function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF, so they rank behind every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
