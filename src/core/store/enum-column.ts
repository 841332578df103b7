import { isOneOf } from '../base/json/is-record.js';

/**
 * Reads a text column that holds one of a few words. Another version of this program may have written a word that
 * this one does not know: it reads as `unknown`, which grants nothing and claims least, and no list fails because of
 * one row.
 */
export function enumColumn<const Word extends string, const Unknown>(
  words: readonly Word[],
  unknown: Unknown,
): (text: string) => Word | Unknown {
  return (text) => (isOneOf(words, text) ? text : unknown);
}
