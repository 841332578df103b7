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
