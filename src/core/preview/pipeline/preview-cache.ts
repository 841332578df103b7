import { randomBytes } from 'node:crypto';

import { HOUR_MS, type Clock } from '../../base/clock.js';
import { materializeStacks } from '../../base/errors/materialize-stacks.js';
import { ownText } from '../../base/runtime/own-text.js';

/** How a preview computation ended: the answer's bytes, or the error every asker gets. */
export type PreviewOutcome = { body: Buffer } | { error: unknown };

/** What operators see of one entry. */
export interface PreviewCacheEntry {
  /** Of this entry alone, in this process alone. */
  id: string;
  /** Grows with each entry. */
  sequence: number;
  url: string;
  state: 'running' | 'finished' | 'failed';
  /** When the computation began. */
  storedTs: number;
  expiresTs: number;
  /** How often somebody was answered from it or joined its computation. */
  hits: number;
  /** `null` while it is running. */
  outcome: PreviewOutcome | null;
}

/** Bounds of the cache. */
export interface PreviewCacheOptions {
  clock: Clock;
  maxBytes: number;
  maxEntries: number;
  /**
   * How long a failure is kept, ms; 0 drops it at once. Never longer than an hour.
   * Decided per error, because our own 429 and 503 say nothing about the address.
   */
  failureLifetimeMs(error: unknown): number;
}

interface Entry {
  sequence: number;
  url: string;
  hits: number;
  outcome: Promise<PreviewOutcome>;
  settled: PreviewOutcome | null;
  storedTs: number;
  lifetimeMs: number;
  bytes: number;
}

/** What V8 takes for an entry beside its texts, its body's buffer included; measured, rounded up. */
const ENTRY_OVERHEAD_BYTES = 700;
/** The same for an error with its stack and cause. */
const ERROR_BYTES = 2000;
/** What a full cache keeps of its bounds. */
const LEFT_SHARE = 31 / 32;

/**
 * Previews of the last hour by exact URL, running and failed ones included (SPEC §4.7.2). An entry lives exactly one
 * hour from its storing; only finished entries give way when the cache is full, oldest first.
 */
export class PreviewCache {
  /** In the order of storing, which is the order of expiry but for short-lived failures. */
  readonly #entries = new Map<string, Entry>();
  /** Those of them that failed, in the order of failing. */
  readonly #failed = new Set<Entry>();
  /** How many of them are being computed. */
  #running = 0;
  /** Tells entries of this process from those of its last life. */
  readonly #life = randomBytes(4).toString('hex');
  #sequence = 0;
  #bytes = 0;

  constructor(private readonly options: PreviewCacheOptions) {}

  /** The settled outcome of a URL, or `null`; for answering without a promise. */
  peek(url: string): PreviewOutcome | null {
    const entry = this.#live(url);
    if (entry === null || entry.settled === null) return null;
    entry.hits += 1;
    return entry.settled;
  }

  /** The outcome for a URL; `compute` runs only when there is no entry, once for any number of askers. */
  get(asked: string, compute: () => Promise<Buffer>): Promise<PreviewOutcome> {
    const live = this.#live(asked);
    if (live !== null) {
      live.hits += 1;
      return live.outcome;
    }
    const url = ownText(asked);
    this.#sequence += 1;
    const entry: Entry = {
      sequence: this.#sequence,
      url,
      hits: 0,
      outcome: Promise.resolve({ error: null }),
      settled: null,
      storedTs: this.options.clock.now(),
      lifetimeMs: HOUR_MS,
      bytes: ENTRY_OVERHEAD_BYTES + 2 * url.length,
    };
    entry.outcome = this.#settle(entry, compute());
    this.#entries.set(url, entry);
    this.#running += 1;
    this.#bytes += entry.bytes;
    this.#evict();
    return entry.outcome;
  }

  /** Lets what is being computed for a URL be kept for so long from now on only. */
  keepBriefly(url: string, lifetimeMs: number): void {
    const entry = this.#entries.get(url);
    if (entry !== undefined) entry.lifetimeMs = this.options.clock.now() - entry.storedTs + lifetimeMs;
  }

  /** Forgets one URL; `false` when there was no entry. A running computation goes on for those who wait. */
  forget(url: string): boolean {
    const entry = this.#entries.get(url);
    if (entry !== undefined) this.#remove(entry);
    return entry !== undefined;
  }

  /** Forgets failures of a kind. */
  forgetFailures(isMeant: (error: unknown) => boolean): void {
    for (const entry of Array.from(this.#failed))
      if (entry.settled !== null && 'error' in entry.settled && isMeant(entry.settled.error))
        this.#remove(entry);
  }

  /** Forgets everything; returns how many entries went. */
  clear(): number {
    const count = this.#entries.size;
    this.#entries.clear();
    this.#failed.clear();
    this.#running = 0;
    this.#bytes = 0;
    return count;
  }

  /** The live entry of a URL for operators, or `null`; counts as no hit. */
  look(url: string): PreviewCacheEntry | null {
    const entry = this.#live(url);
    return entry === null ? null : this.#shown(entry);
  }

  /** All live entries for operators, newest first. */
  list(): PreviewCacheEntry[] {
    const urls = [...this.#entries.keys()].toReversed();
    return urls.map((url) => this.look(url)).filter((entry) => entry !== null);
  }

  /** Without looking at every entry, unlike `list`. */
  size(): { entries: number; bytes: number; running: number; failed: number } {
    this.#dropOldFailures();
    const { size: entries } = this.#entries;
    return { entries, bytes: this.#bytes, running: this.#running, failed: this.#failed.size };
  }

  /** The failed entries that failed last, newest first. */
  latestFailures(most: number, isWanted: (entry: PreviewCacheEntry) => boolean): PreviewCacheEntry[] {
    this.#dropOldFailures();
    const found: PreviewCacheEntry[] = [];
    for (const entry of [...this.#failed].toReversed()) {
      const shown = this.#shown(entry);
      if (isWanted(shown)) found.push(shown);
      if (found.length === most) break;
    }
    return found;
  }

  #shown({ sequence, url, settled, storedTs, lifetimeMs, hits }: Entry): PreviewCacheEntry {
    return {
      id: `${this.#life}-${sequence}`,
      sequence,
      url,
      state: settled === null ? 'running' : 'error' in settled ? 'failed' : 'finished',
      storedTs,
      expiresTs: storedTs + lifetimeMs,
      hits,
      outcome: settled,
    };
  }

  #live(url: string): Entry | null {
    const entry = this.#entries.get(url);
    if (entry === undefined) return null;
    const ageMs = this.options.clock.now() - entry.storedTs;
    // A clock set back must not make entries immortal.
    if (ageMs >= 0 && ageMs < entry.lifetimeMs) return entry;
    if (entry.settled === null) return entry;
    this.#remove(entry);
    return null;
  }

  async #settle(entry: Entry, computation: Promise<Buffer>): Promise<PreviewOutcome> {
    let outcome: PreviewOutcome;
    try {
      outcome = { body: ownBytes(await computation) };
    } catch (error) {
      materializeStacks(error);
      outcome = { error };
    }
    entry.settled = outcome;
    if (this.#entries.get(entry.url) !== entry) return outcome;
    this.#running -= 1;
    const bytes = 'error' in outcome ? ERROR_BYTES : outcome.body.length;
    entry.bytes += bytes;
    this.#bytes += bytes;
    if ('error' in outcome) {
      entry.lifetimeMs = Math.min(HOUR_MS, this.options.failureLifetimeMs(outcome.error));
      if (entry.lifetimeMs > 0) this.#failed.add(entry);
      else this.#remove(entry);
    }
    this.#evict();
    return outcome;
  }

  #dropOldFailures(): void {
    for (const { url } of this.#failed) this.#live(url);
  }

  #remove(entry: Entry): void {
    if (this.#entries.get(entry.url) !== entry) return;
    this.#entries.delete(entry.url);
    this.#failed.delete(entry);
    if (entry.settled === null) this.#running -= 1;
    this.#bytes -= entry.bytes;
  }

  #evict(): void {
    const { maxBytes, maxEntries } = this.options;
    const fits = (): boolean => this.#bytes <= maxBytes && this.#entries.size <= maxEntries;
    if (fits()) return;
    // Many in one walk, since each begins with the places of all that are gone: by ones 15 µs each of 20,000 entries.
    const fewerBytes = Math.ceil(maxBytes * LEFT_SHARE);
    const fewerEntries = Math.ceil(maxEntries * LEFT_SHARE);
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= fewerBytes && this.#entries.size <= fewerEntries) return;
      if (entry.sequence === this.#sequence && fits()) return;
      if (entry.settled !== null) this.#remove(entry);
    }
  }
}

/** A copy in memory of its own: short buffers share pieces of 8 kB, which live as long as one of them. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
