import type { Element } from 'domhandler';

import { DESCRIPTIONS } from './dom/page.js';
import { asAuthor, asDate, asText, type Fitting } from './page-values.js';

/** Characters of the body still read once the tags say all that a card needs; authors and dates stand there. */
const BODY_LENGTH_FOR_EXTRAS = 524_288;
const LOOKED_AT = 500;
/** Names of tags, and what makes a value of one. */
type Fact = readonly [keys: readonly string[], fits: Fitting];
const CARD: readonly Fact[] = [
  [['og:title', 'twitter:title'], asText],
  [DESCRIPTIONS, asText],
  [['og:image', 'twitter:image'], asText],
];
const EXTRAS: readonly Fact[] = [
  [['author'], asAuthor],
  [['article:published_time'], asDate],
];

/** Do the tags of a head say so much that nothing in the rest of the page can better it? */
export function isEnough(metas: readonly Element[], bodyLength: number): boolean {
  const facts = bodyLength > BODY_LENGTH_FOR_EXTRAS ? CARD : [...CARD, ...EXTRAS];
  const first = metas.slice(0, LOOKED_AT);
  return facts.every(([keys, fits]) =>
    first.some(({ attribs: { property = '', name = '', content = '' } }) => {
      const isNamed = keys.includes(property.toLowerCase()) || keys.includes(name.toLowerCase());
      return isNamed && fits(content) !== null;
    }),
  );
}
