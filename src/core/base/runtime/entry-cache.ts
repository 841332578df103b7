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

/** The same where entries differ in size: one counts for as many as `weightOf` says, a whole number above zero. */
export function weighedCache<V extends {}>(
  maxWeight: number,
  weightOf: (value: V) => number,
): LRUCache<string, V> {
  return new LRUCache<string, V>({ maxSize: maxWeight, sizeCalculation: weightOf });
}
