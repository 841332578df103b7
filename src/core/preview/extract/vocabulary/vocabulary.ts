/** Tells whether a text holds one of some words. */
type Recogniser = (text: string) => boolean;

/** Words of one kind that sites write into pages; a word may be the source of a regular expression. */
export interface Vocabulary {
  /** Each word with a text that it alone of them recognises: the case that needs it. */
  readonly words: Readonly<Record<string, string>>;
  readonly has: Recogniser;
  /** The same over other words. */
  readonly over: (words: readonly string[]) => Recogniser;
}

/** Texts that are one of the words as a whole, after `plain` has made them alike. */
export function wholeTexts(words: Vocabulary['words'], plain: (text: string) => string): Vocabulary {
  return vocabulary(words, (list) => {
    const known = new Set(list);
    return (text) => known.has(plain(text));
  });
}

/** Texts that hold one of the words as it stands. */
export function substrings(words: Vocabulary['words']): Vocabulary {
  return vocabulary(words, (list) => (text) => list.some((word) => text.includes(word)));
}

/** Words that are alternatives of a regular expression, in any case of letters. */
export interface Patterns extends Vocabulary {
  /** The text without all that matches. */
  readonly without: (text: string) => string;
}

/** Texts that match `form` of all words. */
export function patterns(words: Vocabulary['words'], form: (alternatives: string) => string): Patterns {
  const over: Vocabulary['over'] = (list) => {
    const expression = list.length === 0 ? null : new RegExp(form(list.join('|')), 'iu');
    return (text) => expression?.test(text) ?? false;
  };
  const everywhere = new RegExp(form(Object.keys(words).join('|')), 'giu');
  return { ...vocabulary(words, over), without: (text) => text.replaceAll(everywhere, '') };
}

function vocabulary(words: Vocabulary['words'], over: Vocabulary['over']): Vocabulary {
  return { words, over, has: over(Object.keys(words)) };
}
