import { registerEnumType } from 'type-graphql';

/** Names on the wire → words inside: `NOT_ALLOWED` → `not_allowed`. */
type NamesOf<Word extends string> = { readonly [Each in Word as Uppercase<Each>]: Each };

/** Registers an enumeration of words that have the same names on the wire, in capitals. */
export function wordsEnum<const Word extends string>(
  name: string,
  words: readonly Word[],
  description?: string,
): NamesOf<Word> {
  const named = Object.fromEntries(words.map((word) => [word.toUpperCase(), word]));
  registerEnumType(named, { name, ...(description === undefined ? {} : { description }) });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of just these words
  return named as NamesOf<Word>;
}
