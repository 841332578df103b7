/** What was typed in a search box: free words and the known `name:value` pairs. */
export interface TypedSearch {
  words: string;
  qualifiers: Map<string, string>;
}

/**
 * Splits `state:expired host:example.org cats` at the known names; `host:"a b"` keeps blanks. An unknown name (or
 * the scheme of a pasted URL) stays a word.
 */
export function readQualifiers(typed: string, known: readonly string[]): TypedSearch {
  const qualifiers = new Map<string, string>();
  const words: string[] = [];
  for (const [whole, name, quoted, plain] of typed.matchAll(/([a-z]+):(?:"([^"]*)"|(\S+))|\S+/gi)) {
    const value = quoted ?? plain;
    const key = name?.toLowerCase();
    if (key !== undefined && value !== undefined && known.includes(key)) qualifiers.set(key, value);
    else words.push(whole);
  }
  return { words: words.join(' '), qualifiers };
}

/** What is finished of a text that somebody still types, and what stays in the box as it is. */
export interface UnfinishedSearch extends TypedSearch {
  rest: string;
}

/**
 * The same while somebody types: a known name with its value counts when a blank follows. Null while a quotation mark
 * is open.
 */
export function readUnfinished(typed: string, known: readonly string[]): UnfinishedSearch | null {
  if (typed.split('"').length % 2 === 0) return null;
  const [open = ''] = /\S+$/.exec(typed) ?? [];
  const name = /^([a-z]+):/i.exec(open)?.[1]?.toLowerCase();
  const isOpen = name !== undefined && known.includes(name);
  const found = readQualifiers(isOpen ? typed.slice(0, -open.length) : typed, known);
  const left = isOpen ? `${found.words} ${open}`.trimStart() : found.words;
  return { ...found, rest: found.qualifiers.size === 0 ? typed : left };
}
