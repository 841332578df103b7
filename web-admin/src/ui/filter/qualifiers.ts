import type { Param } from '../../url/params.js';

/** What a value typed after a name sets; null when it is not understood. */
export type Qualifier = (value: string) => (() => void) | null;

/** By the name before the colon, in lower case. */
export type Qualifiers = Readonly<Record<string, Qualifier>>;

/** One that understands what a parameter of the address does. */
export function qualifier<Value>(param: Param<Value>, set: (value: Value) => void): Qualifier {
  return (text) => {
    const value = param.parse(text);
    return param.format(value) === null ? null : () => set(value);
  };
}

/** The same for names that the address writes in capitals and people do not. */
export function nameQualifier<Value>(param: Param<Value>, set: (value: Value) => void): Qualifier {
  const read = qualifier(param, set);
  return (text) => read(text.toUpperCase());
}

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

/** What is finished of a text that somebody still types, and what stays in the box as it is. */
export interface UnfinishedSearch extends TypedSearch {
  rest: string;
}

/**
 * The same while somebody types: a known name with its value counts when a blank follows. Null while a quotation mark
 * is open.
 */
export function readUnfinished(typed: string, known: Qualifiers): UnfinishedSearch | null {
  if (typed.split('"').length % 2 === 0) return null;
  const [open = ''] = /\S+$/.exec(typed) ?? [];
  const name = /^([a-z]+):/i.exec(open)?.[1]?.toLowerCase();
  const isOpen = name !== undefined && Object.hasOwn(known, name);
  const found = readQualifiers(isOpen ? typed.slice(0, -open.length) : typed, known);
  const left = isOpen ? `${found.words} ${open}`.trimStart() : found.words;
  return { ...found, rest: found.changes.size === 0 ? typed : left };
}
