import { asAuthor, asDate, asText, type Fitting } from '../page-values.js';
import { DESCRIPTIONS, type Candidates, type StatedFact } from './candidates.js';

const FACTS: ReadonlyMap<string, { fact: StatedFact; fitting: Fitting }> = new Map([
  ...keysOf('title', asText, ['og:title', 'twitter:title']),
  ...keysOf('description', asText, DESCRIPTIONS),
  ...keysOf('image', asText, ['og:image', 'twitter:image']),
  ...keysOf('author', asAuthor, ['author']),
  ...keysOf('published', asDate, ['article:published_time']),
]);

function keysOf(fact: StatedFact, fitting: Fitting, keys: readonly string[]) {
  return keys.map((key) => [key, { fact, fitting }] as const);
}

/** Notes what a meta tag states; a value that would not be used states nothing. `key` is in lower case. */
export function noteStated({ stated }: Candidates, key: string, content: string): void {
  const known = FACTS.get(key);
  if (known === undefined || stated.has(known.fact)) return;
  if (known.fitting(content) !== null) stated.add(known.fact);
}
