import { LRUCache } from 'lru-cache';

interface EntryTimes {
  ttl?: number;
  ttlResolution?: number;
  perf?: { now(): number };
}

const one = () => 1;

/**
 * A cache of at most so many entries; the least recently used go first. The `max` of `LRUCache` allocates for all of
 * them when it is made: with the caches of a service 10 MB and 30 ms of each start, for entries few services ever have.
 */
export function entryCache<V extends {}>(maxEntries: number, times: EntryTimes = {}): LRUCache<string, V> {
  return new LRUCache({ ...times, maxSize: maxEntries, sizeCalculation: one });
}

/**
 * A copy of a text, because V8 keeps the whole of a text alive, a request's target say, for a part that was cut
 * from it: an address at the end of a target of 15 kB takes 15,000 bytes instead of a hundred. What is kept could not
 * be bounded without it, so no setting turns it off.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Makes a value when it is first asked for. A failure is told to those who wait for it, and forgotten. */
export function remembered<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    if (made !== null) return made;
    made = make();
    made.catch(() => (made = null));
    return made;
  };
}
