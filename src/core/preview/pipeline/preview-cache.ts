import { LRUCache } from 'lru-cache';

import { HOUR_MS, type Clock } from '../../base/clock.js';
import { ownText } from '../../base/runtime/cache.js';
import type { InstanceMessages } from '../../store/instances/instance-messages.js';

export interface PreviewRequest {
  /** As received; the key of both caches (SPEC §4.7.2, §4.7.3). */
  url: string;
  /** Point in time for which the preview is wanted, POSIX ms. */
  ts: number;
  userId: string;
  /** Request that asks, kept with what it is refused. */
  requestId: string;
  /** Calls back when the client has gone, or has been answered; a preview that nobody waits for ends. */
  whenGone?: (listener: () => void) => unknown;
}

/** How a preview computation ended: the answer's bytes, or the error every client gets. */
export type PreviewOutcome = { body: Buffer } | { error: unknown };

/** An answer, and how long it may be kept; absent: an hour. */
export interface MadePreview {
  body: Buffer;
  lifetimeMs?: number;
}

export interface PreviewCacheEntry {
  readonly url: string;
  readonly storedTs: number;
  /** Infinity while it is made. */
  expiresTs: number;
  outcome: PreviewOutcome | null;
  promise: Promise<PreviewOutcome>;
  readonly userId: string;
  waiting: number;
  /** Ends the computation when the last of them has gone; `null` once it has ended. */
  gone: AbortController | null;
}

interface PreviewCacheOptions {
  clock: Clock;
  maxBytes: number;
  /**
   * How long a failure is kept, ms; 0 drops it at once. Never longer than an hour.
   * Decided per error, because our own 429 and 503 say nothing about the address.
   */
  failureLifetimeMs: (error: unknown) => number;
}

/** What V8 takes for an entry beside its texts, its body's buffer included; measured, rounded up. */
const ENTRY_OVERHEAD_BYTES = 700;
/** The same for an error with its stack and cause. */
const ERROR_BYTES = 2000;

/**
 * Previews of the last hour by exact URL, running and failed ones included (SPEC §4.7.2). Finished entries give way
 * when the cache is full, those least recently used first.
 */
export class PreviewCache {
  readonly #running = new Map<string, PreviewCacheEntry>();
  readonly #settled: LRUCache<string, PreviewCacheEntry>;

  constructor(private readonly options: PreviewCacheOptions) {
    this.#settled = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: ({ url, outcome }) =>
        ENTRY_OVERHEAD_BYTES +
        2 * url.length +
        (isFailed(outcome) ? ERROR_BYTES : (outcome?.body.length ?? 0)),
    });
  }

  /**
   * The outcome for a URL; `compute` runs only when there is no entry, once for any number of requests. Its signal ends
   * it when all of them have gone, as `whenGone` tells; a later request starts anew. That of another user who `isBusy` is
   * not joined: it may wait behind everything else that user wants.
   */
  get(
    { url, userId, whenGone }: Pick<PreviewRequest, 'url' | 'userId' | 'whenGone'>,
    compute: (gone: AbortSignal) => Promise<MadePreview>,
    isBusy: (userId: string) => boolean = () => false,
  ): Promise<PreviewOutcome> {
    const known = this.peek(url);
    const isHeldUp = known?.outcome === null && known.userId !== userId && isBusy(known.userId);
    const entry = known === null || isHeldUp ? this.#begin({ url: ownText(url), userId }, compute) : known;
    entry.waiting += 1;
    whenGone?.(() => this.#leave(entry));
    return entry.promise;
  }

  /** Forgets one URL; `false` when there was no entry. A running computation goes on for those who wait. */
  forget(url: string): boolean {
    const wasRunning = this.#running.delete(url);
    return this.#settled.delete(url) || wasRunning;
  }

  clear(): void {
    this.#running.clear();
    this.#settled.clear();
  }

  list(): PreviewCacheEntry[] {
    for (const [url, entry] of this.#settled.entries()) if (this.#isExpired(entry)) this.#settled.delete(url);
    return [...this.#running.values(), ...this.#settled.values()];
  }

  size(): { entries: number; bytes: number } {
    const { size, calculatedSize: bytes } = this.#settled;
    return { entries: this.#running.size + size, bytes };
  }

  /** The newest first. */
  failures(): (PreviewCacheEntry & { outcome: { error: unknown } })[] {
    const failed = this.list().flatMap((entry) => {
      const { outcome } = entry;
      return isFailed(outcome) ? [{ ...entry, outcome }] : [];
    });
    return failed.toSorted((one, other) => other.storedTs - one.storedTs);
  }

  #begin(
    { url, userId }: { url: string; userId: string },
    compute: (gone: AbortSignal) => Promise<MadePreview>,
  ): PreviewCacheEntry {
    const gone = new AbortController();
    const entry: PreviewCacheEntry = {
      url,
      userId,
      outcome: null,
      storedTs: this.options.clock.now(),
      expiresTs: Infinity,
      waiting: 0,
      gone,
      promise: Promise.resolve({ error: null }),
    };
    this.#running.set(url, entry);
    entry.promise = this.#settle(entry, compute(gone.signal));
    return entry;
  }

  #leave(entry: PreviewCacheEntry): void {
    entry.waiting -= 1;
    if (entry.waiting > 0 || entry.outcome !== null) return;
    if (this.#running.get(entry.url) === entry) this.#running.delete(entry.url);
    entry.gone?.abort();
  }

  /** The entry of a URL, running or settled, or `null`. */
  peek(url: string): PreviewCacheEntry | null {
    const running = this.#running.get(url);
    if (running !== undefined) return running;
    const entry = this.#settled.get(url);
    if (entry === undefined || !this.#isExpired(entry)) return entry ?? null;
    this.#settled.delete(url);
    return null;
  }

  /** A clock that was set back must not make any live for ever. */
  #isExpired({ storedTs, expiresTs }: PreviewCacheEntry): boolean {
    const nowTs = this.options.clock.now();
    return nowTs < storedTs || nowTs >= expiresTs;
  }

  async #settle(entry: PreviewCacheEntry, computation: Promise<MadePreview>): Promise<PreviewOutcome> {
    const { clock, failureLifetimeMs } = this.options;
    let outcome: PreviewOutcome;
    try {
      const { body, lifetimeMs } = await computation;
      outcome = { body: ownBytes(body) };
      entry.expiresTs = lifetimeMs === undefined ? entry.storedTs + HOUR_MS : clock.now() + lifetimeMs;
    } catch (error) {
      // Until a stack is read, V8 keeps its frames, and with them the request and its connection.
      for (let at: unknown = error; at instanceof Error; at = at.cause) void at.stack;
      outcome = { error };
      entry.expiresTs = entry.storedTs + Math.min(HOUR_MS, failureLifetimeMs(error));
    }
    entry.outcome = outcome;
    entry.gone = null;
    if (this.#running.get(entry.url) !== entry) return outcome;
    this.#running.delete(entry.url);
    if (entry.expiresTs > entry.storedTs) this.#settled.set(entry.url, entry);
    return outcome;
  }
}

function isFailed(outcome: PreviewOutcome | null): outcome is { error: unknown } {
  return outcome !== null && 'error' in outcome;
}

/** A copy in memory of its own: short buffers share pieces of 8 kB, which live as long as one of them. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

const TOPIC = 'forget_previews';

/** Forgets previews in the memory of all instances. */
export class PreviewForgetting {
  constructor(
    private readonly cache: PreviewCache,
    private readonly messages: InstanceMessages,
  ) {
    messages.on(TOPIC, (urls) => (urls === null ? cache.clear() : void this.#forgetHere(urls)));
  }

  /** Forgets addresses; resolves to those that this instance remembered. Who waits for one still gets it. */
  async forget(urls: readonly string[]): Promise<string[]> {
    const gone = this.#forgetHere(urls);
    if (urls.length > 0) await this.messages.send(TOPIC, urls);
    return gone;
  }

  /** Forgets everything, or here only what failed; other instances forget everything. Resolves as `forget`. */
  async forgetAll({ failedOnly }: { failedOnly: boolean }): Promise<string[]> {
    const listed = failedOnly ? this.cache.failures() : this.cache.list();
    const gone = this.#forgetHere(listed.map(({ url }) => url));
    await this.messages.send(TOPIC);
    return gone;
  }

  #forgetHere(urls: readonly string[]): string[] {
    return urls.filter((url) => this.cache.forget(url));
  }
}
