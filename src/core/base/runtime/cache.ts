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

/**
 * A copy of a text, because V8 keeps the whole of a text alive, a request's target say, for a part that was cut
 * from it: an address at the end of a target of 15 kB takes 15,000 bytes instead of a hundred. What is kept could not
 * be bounded without it, so no setting turns it off.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Makes a value when it is first asked for. A failure is told to those who wait for it, and forgotten. */
export class Remembered<T> {
  #made: Promise<T> | null = null;

  constructor(private readonly make: () => Promise<T>) {}

  /** The value made or being made; `null` before. */
  get current(): Promise<T> | null {
    return this.#made;
  }

  get(): Promise<T> {
    if (this.#made !== null) return this.#made;
    const made = this.make();
    this.#made = made;
    made.catch(() => this.forget(made));
    return made;
  }

  /** Who asks next has it made anew. With `made` only when it is still that one. */
  forget(made: Promise<T> | null = this.#made): void {
    if (this.#made === made) this.#made = null;
  }
}
