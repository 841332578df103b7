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

/**
 * What a name and a title share. Letters and digits count, in any case; two characters are a word in scripts without
 * blanks. Texts are read up to 300 characters.
 */
export function agreementOf(name: string, title: string): Agreement {
  const [words, others] = [wordsOf(name), wordsOf(title)];
  if (words.size === 0 || others.size === 0) return { ofName: 0, ofTitle: 0 };
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return { ofName: shared / words.size, ofTitle: shared / others.size };
}

/** Does `title` begin with all of `name`? */
export function beginsWith(title: string, name: string): boolean {
  const [words, others] = [[...wordsOf(name)], [...wordsOf(title)]];
  return words.length > 0 && words.every((word, at) => word === others[at]);
}

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of text.slice(0, LONGEST).normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (run.length < 3 || !UNSPACED.test(run)) words.add(run);
    else for (let at = 0; at + 2 <= run.length; at += 1) words.add(run.slice(at, at + 2));
  }
  return words;
}
