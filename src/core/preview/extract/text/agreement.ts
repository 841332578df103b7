const LONGEST = 300;
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** How much two texts share, each share 0 to 1. */
export interface Agreement {
  /** Share of the name's words that the title has. */
  readonly ofName: number;
  /** Share of the title's words that the name has. */
  readonly ofTitle: number;
}

/** What the words of a name and of a title share. */
export function agreementOf(words: ReadonlySet<string>, others: ReadonlySet<string>): Agreement {
  if (words.size === 0 || others.size === 0) return { ofName: 0, ofTitle: 0 };
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return { ofName: shared / words.size, ofTitle: shared / others.size };
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
