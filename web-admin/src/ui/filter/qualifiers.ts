/** What a value typed after a name sets; null when it is not understood. */
export type Qualifier = (value: string) => (() => void) | null;

/** By the name before the colon, in lower case. */
export type Qualifiers = Readonly<Record<string, Qualifier>>;

/** What was typed in a search box: free words, and by name what the others set. */
export interface TypedSearch {
  words: string;
  changes: Map<string, () => void>;
}

/**
 * Splits `state:expired host:example.org cats` at the known names; `host:"a b"` keeps blanks. An unknown name (or
 * the scheme of a pasted URL) stays a word, and so does a value that is not understood: what is shown as a filter is
 * one.
 */
export function readQualifiers(typed: string, known: Qualifiers): TypedSearch {
  const changes = new Map<string, () => void>();
  const words: string[] = [];
  for (const [whole, name, quoted, plain] of typed.matchAll(/([a-z]+):(?:"([^"]*)"|(\S+))|\S+/gi)) {
    const value = quoted ?? plain;
    const key = name?.toLowerCase() ?? '';
    const set = value !== undefined && Object.hasOwn(known, key) ? known[key]?.(value) : undefined;
    if (set) changes.set(key, set);
    else words.push(whole);
  }
  return { words: words.join(' '), changes };
}

/** What counts of a text that somebody still types. */
export interface UnfinishedSearch extends TypedSearch {
  /** What stays in the box. */
  rest: string;
  /** The known name that the box ends with, as in `host:exam`; null for none. What it sets is among the changes. */
  open: string | null;
}

/**
 * The same while somebody types: a known name with its value leaves the box when a blank follows; until then it counts as
 * far as it is typed. Null while a quotation mark is open.
 */
export function readUnfinished(typed: string, known: Qualifiers): UnfinishedSearch | null {
  if (typed.split('"').length % 2 === 0) return null;
  const [last = ''] = /\S+$/.exec(typed) ?? [];
  const name = /^([a-z]+):/i.exec(last)?.[1]?.toLowerCase();
  if (name === undefined || !Object.hasOwn(known, name)) {
    const found = readQualifiers(typed, known);
    return { ...found, rest: found.changes.size === 0 ? typed : found.words, open: null };
  }
  const before = readQualifiers(typed.slice(0, -last.length), known);
  const { changes } = readQualifiers(last, known);
  const rest = before.changes.size === 0 ? typed : `${before.words} ${last}`.trimStart();
  return { words: before.words, changes: new Map([...before.changes, ...changes]), rest, open: name };
}
