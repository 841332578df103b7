const LONGEST = 300;
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Share of the words of a name that another text has, 0 to 1. */
export function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size;
}

/** Does a title begin with all words of a name? */
export function beginsWith(title: ReadonlySet<string>, name: ReadonlySet<string>): boolean {
  const others = [...title];
  return name.size > 0 && [...name].every((word, at) => word === others[at]);
}

/**
 * The words of a text of up to 300 characters, in order, once each: letters and digits in any case, in scripts
 * without blanks every two characters.
 */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  // One ligature may stand for eighteen letters.
  const plain = text.slice(0, LONGEST).normalize('NFKC').slice(0, LONGEST);
  for (const [run] of plain.toLowerCase().matchAll(WORD)) {
    if (run.length < 3 || !UNSPACED.test(run)) words.add(run);
    else for (let at = 0; at + 2 <= run.length; at += 1) words.add(run.slice(at, at + 2));
  }
  return words;
}
