import { setImmediate as nextTurn } from 'node:timers/promises';

import { UrlRules } from '../../preview/rules/url-rules.js';
import type { Database } from '../../store/db.js';
import { entryOf } from './blocked-pattern.js';

/** What a pattern would have refused. */
export interface PatternTrial {
  /** Addresses it was tried on. */
  tried: number;
  /** Of those, the ones that it would refuse and no rule refuses now. */
  refused: number;
  /** The newest of them. */
  examples: readonly string[];
}

export const TRIED_ADDRESSES = 10_000;
const MAX_EXAMPLES = 5;
const PAGE = 500;

/** Tries a pattern on the addresses of the latest stored previews; a page of them at a time. */
export async function tryPattern(
  pattern: string,
  { database, rules }: { database: Database; rules: UrlRules },
  signal?: AbortSignal,
): Promise<PatternTrial> {
  const added = new UrlRules([entryOf(pattern)]);
  const examples: string[] = [];
  let [tried, refused] = [0, 0];
  for await (const urls of latestUrls(database)) {
    signal?.throwIfAborted();
    tried += urls.length;
    for (const url of urls) {
      if (added.match(url) === null || rules.match(url) !== null) continue;
      refused += 1;
      if (examples.length < MAX_EXAMPLES) examples.push(url);
    }
    await nextTurn();
  }
  return { tried, refused, examples };
}

async function* latestUrls({ client }: Database): AsyncGenerator<string[]> {
  let below: number | null = null;
  for (let read = 0; read < TRIED_ADDRESSES; read += PAGE) {
    const page: { id: number; url: string }[] = await client.previewCache.findMany({
      where: below === null ? {} : { id: { lt: below } },
      orderBy: { id: 'desc' },
      take: PAGE,
      select: { id: true, url: true },
    });
    yield page.map(({ url }) => url);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    below = last.id;
  }
}
