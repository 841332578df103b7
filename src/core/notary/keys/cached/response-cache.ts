import { LRUCache } from 'lru-cache';

import type { Clock } from '../../../base/clock.js';
import type { KnownServer } from './known-server.js';

/** An answer, and how long it stays the answer. */
export interface CachedResponse {
  answer: Buffer;
  /** What is known of each server asked for; all of it comes from the cache of records. */
  found: readonly KnownServer[];
  /** POSIX ms: from `sinceTs` to `untilTs`, both included, no server would be fetched and no entry is too old. */
  sinceTs: number;
  untilTs: number;
}

export interface ResponseCacheOptions {
  clock: Clock;
  maxBytes: number;
}

/** Shorter requests are answered as fast without a cache. */
const MIN_REQUEST_BYTES = 1024;
/** Of several hundred servers; a copy of each is kept. */
const MAX_REQUEST_BYTES = 64 * 1024;
const ENTRY_OVERHEAD_BYTES = 500;
/** Power of two. */
const NOTED_REQUESTS = 4096;
/** Questions that differ in a few digits only have to be told apart. */
const SAMPLES = 512;

/**
 * Responses to requests that come in the same bytes again and again: peers repeat requests, and the workers of
 * one peer send the same. An answer counts only as long as working it out anew would give the same without
 * store and network. It is kept from the second time on, so that requests never repeated cost nothing. For a hundred
 * servers it spares a third to two thirds of the processor time (`response_cache`; what it keeps ties it to this folder).
 */
export class ResponseCache {
  /** By digests of the requests: V8 takes 1 ns for each byte of a text to hash it. */
  readonly #answers: LRUCache<number, CachedResponse & { requestBody: Buffer }>;
  /**
   * Digests of request bodies lately seen, each at the index its own bits give it, and whether it came once or twice.
   */
  readonly #noted = new Uint32Array(NOTED_REQUESTS);
  readonly #times = new Uint8Array(NOTED_REQUESTS);

  readonly #maxEntryBytes: number;

  constructor(private readonly options: ResponseCacheOptions) {
    this.#maxEntryBytes = options.maxBytes >> 2;
    this.#answers = new LRUCache({ maxSize: options.maxBytes });
  }

  /** The response kept for this very body; `null` when there is none that still holds. Notes the body. */
  recall(requestBody: Buffer): CachedResponse | null {
    if (!isCacheable(requestBody)) return null;
    const digest = digestOf(requestBody);
    if (!this.#note(digest)) return null;
    const kept = this.#answers.peek(digest);
    if (kept === undefined) return null;
    if (!holds(kept, this.options.clock.now())) {
      this.#answers.delete(digest);
      return null;
    }
    if (kept.requestBody.equals(requestBody)) return this.#answers.get(digest) ?? null;
    // Not worth keeping: each would push the other out again and again.
    this.#times[digest % NOTED_REQUESTS] = 1;
    return null;
  }

  /** Whether the body seen last was seen before, so that its response is worth keeping. */
  wants(requestBody: Buffer): boolean {
    if (!isCacheable(requestBody)) return false;
    const digest = digestOf(requestBody);
    const at = digest % NOTED_REQUESTS;
    return this.#noted[at] === digest && this.#times[at] === 2;
  }

  /** Keeps an answer, if it still holds, until it is pushed out by others. */
  keep(requestBody: Buffer, response: CachedResponse): void {
    if (!holds(response, this.options.clock.now())) return;
    const { answer, found } = response;
    const size = ENTRY_OVERHEAD_BYTES + requestBody.length + answer.length + 8 * found.length;
    // Nothing is copied for what has no room.
    if (size > this.#maxEntryBytes) return;
    const kept = { ...response, answer: copyOf(answer), requestBody: copyOf(requestBody) };
    this.#answers.set(digestOf(requestBody), kept, { size });
  }

  /** Whether the body, or one that looks like it, was seen before. */
  #note(digest: number): boolean {
    const at = digest % NOTED_REQUESTS;
    const isKnown = this.#noted[at] === digest;
    this.#noted[at] = digest;
    this.#times[at] = isKnown ? 2 : 1;
    return isKnown;
  }
}

function isCacheable(requestBody: Buffer): boolean {
  return requestBody.length >= MIN_REQUEST_BYTES && requestBody.length <= MAX_REQUEST_BYTES;
}

function holds({ found, sinceTs, untilTs }: CachedResponse, nowTs: number): boolean {
  if (nowTs < sinceTs || nowTs > untilTs) return false;
  for (const known of found) if (!known.isCached) return false;
  return true;
}

/** In memory of its own: a small one may be part of a piece that is larger. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Some bytes of the body, evenly spread, in 32 bits; of two bodies that have the same the one kept first stays. */
function digestOf(requestBody: Buffer): number {
  let digest = requestBody.length;
  const step = requestBody.length / SAMPLES;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    digest = (Math.imul(digest, 31) + (requestBody[Math.trunc(sample * step)] ?? 0)) | 0;
  }
  return digest >>> 0;
}
