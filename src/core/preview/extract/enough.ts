import type { Element } from 'domhandler';

import { DESCRIPTIONS } from './dom/page.js';
import { asAuthor, asDate, asText, type Fitting } from './page-values.js';

/** Characters of the body still read once the tags say all that a card needs; authors and dates stand there. */
const BODY_LENGTH_FOR_EXTRAS = 524_288;
const LOOKED_AT = 500;

interface Fact {
  readonly keys: readonly string[];
  readonly fits: Fitting;
}

const CARD: readonly Fact[] = [
  { keys: ['og:title', 'twitter:title'], fits: asText },
  { keys: DESCRIPTIONS, fits: asText },
  { keys: ['og:image', 'twitter:image'], fits: asText },
];
const EXTRAS: readonly Fact[] = [
  { keys: ['author'], fits: asAuthor },
  { keys: ['article:published_time'], fits: asDate },
];

/** Do the tags of a head say so much that nothing in the rest of the page can better it? */
export function isEnough(metas: readonly Element[], bodyLength: number): boolean {
  const first = metas.slice(0, LOOKED_AT);
  const areStated = (facts: readonly Fact[]): boolean =>
    facts.every((fact) => first.some((meta) => states(meta, fact)));
  return areStated(CARD) && (bodyLength > BODY_LENGTH_FOR_EXTRAS || areStated(EXTRAS));
}

function states({ attribs }: Element, { keys, fits }: Fact): boolean {
  const isNamed = [attribs['property'], attribs['name']].some((key) =>
    keys.includes(key?.toLowerCase() ?? ''),
  );
  return isNamed && fits(attribs['content'] ?? '') !== null;
}
