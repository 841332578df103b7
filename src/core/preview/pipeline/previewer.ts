import { userClient, type Client } from '../../base/client.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import { SECOND_MS, type Clock } from '../../base/clock.js';
import { ApiError, clientGone, invalidParam } from '../../base/errors/api-error.js';
import { SILENT_TRACE } from '../../base/trace.js';
import type { MadePreview, PreviewCache, PreviewOutcome } from './preview-cache.js';
import type { PreviewRequest } from '../build/preview-job.js';
import type { PreviewMaking } from './preview-making.js';
import { isUsable, type NewPreview, type PreviewStore, type StoredPreview } from './preview-store.js';
import type { UrlGate } from './url-gate.js';

/** How an answer came about, `left` when nobody waited for it any more; labels of the metric preview_requests_total. */
export const PREVIEW_RESULTS = ['memory', 'stored', 'made', 'failed', 'blocked', 'left'] as const;
export type PreviewResult = (typeof PREVIEW_RESULTS)[number];

/** What the previewer is built from. */
export interface PreviewerOptions {
  gate: UrlGate;
  cache: PreviewCache;
  store: PreviewStore;
  making: PreviewMaking;
  /** Per user; only previews that have to be made count, never answers from a cache. */
  rateLimit: RateLimit;
  clock: Clock;
  onResult: (result: PreviewResult) => void;
}

/** How long a preview lives that is without its image because of this server's own error. */
const CUT_SHORT_LIFETIME_MS = 30 * SECOND_MS;

/** Requests that wait for a URL, on whose behalf it is made, and what ends that when the last of them has gone. */
interface Waiting {
  requests: number;
  client: Client;
  end: () => void;
}

/** The rules of SPEC §4.7: URL rules (1), memory (2), store (3), and else a preview made anew, pruned and stored (12, 13). */
export class Previewer {
  readonly #making = new Set<Promise<MadePreview>>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(private readonly options: PreviewerOptions) {}

  /**
   * The bytes of the Open Graph object. Rejects with 403 for a blocked URL, 429 and 503 when there is too much
   * to do, and the errors of SPEC §7; each failure is re-served for as long as it is remembered. What is remembered
   * comes, and is thrown, at once: rooms' links are asked for in bursts, mostly from memory.
   */
  preview(request: PreviewRequest): Buffer | Promise<Buffer> {
    const { cache, onResult } = this.options;
    try {
      // Before the cache, so that a changed rule takes effect at once.
      checkRules(this.options.gate, request);
    } catch (error) {
      onResult('blocked');
      throw error;
    }
    const remembered = cache.peek(request.url);
    if (remembered !== null) {
      onResult('memory');
      return bodyOf(remembered);
    }
    return this.#fromCache(request);
  }

  /** Resolves when no preview is under way. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#making);
  }

  /** SPEC §4.7.2: joins the computation under way or starts one. Somebody else's rate limit is not ours. */
  async #fromCache(request: PreviewRequest): Promise<Buffer> {
    const { cache } = this.options;
    const leave = this.#wait(request);
    request.whenGone?.(leave);
    let isOwn = false;
    const make = (): Promise<MadePreview> => {
      isOwn = true;
      const making = this.#findOrMake(request);
      this.#making.add(making);
      // Those who wait get its failure; here it only counts that it is over.
      const isOver = (): unknown => this.#making.delete(making);
      making.then(isOver, isOver);
      return making;
    };
    try {
      const outcome = await cache.get(request.url, make);
      const isLimited =
        'error' in outcome && outcome.error instanceof ApiError && outcome.error.status === 429;
      return bodyOf(isLimited && !isOwn ? await cache.get(request.url, make) : outcome);
    } finally {
      leave();
    }
  }

  /** One more waits for a URL; the function returned ends that. */
  #wait({ url, userId }: PreviewRequest): () => void {
    const waiting = this.#waiting.get(url) ?? {
      requests: 0,
      client: userClient(userId),
      end: () => {},
    };
    this.#waiting.set(url, waiting);
    waiting.requests += 1;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      waiting.requests -= 1;
      if (waiting.requests > 0) return;
      this.#waiting.delete(url);
      waiting.end();
    };
  }

  async #findOrMake(request: PreviewRequest): Promise<MadePreview> {
    const { store, onResult } = this.options;
    const { url, ts } = request;
    try {
      // SPEC §4.7.3
      const stored = await store.findAt(url, ts);
      if (stored !== null && isUsable(stored, ts)) {
        onResult('stored');
        return { body: Buffer.from(stored.openGraph), ...this.#lifetimeOf(stored) };
      }
      const made = await this.#make(request);
      onResult('made');
      return made;
    } catch (error) {
      const isLeft = error instanceof ApiError && error.reason === 'client_gone';
      onResult(isLeft ? 'left' : 'failed');
      throw error;
    }
  }

  /** SPEC §4.7.4 to §4.7.13. Ends when all who waited have gone; a later request starts anew. */
  async #make(request: PreviewRequest): Promise<MadePreview> {
    const { cache, rateLimit, making } = this.options;
    const { url, userId } = request;
    const gone = new AbortController();
    const end = (): void => {
      cache.forget(url);
      gone.abort();
    };
    const waiting = this.#waiting.get(url);
    if (waiting === undefined) end();
    else waiting.end = end;
    try {
      rateLimit.take(userId);
      const made = await making.make(request, SILENT_TRACE, {
        signal: gone.signal,
        client: waiting?.client,
      });
      const body = Buffer.from(made.text);
      // Who asks later may get the image, too; until then not each request runs into the same failure again.
      if (made.built.isCutShort) return { body, lifetimeMs: CUT_SHORT_LIFETIME_MS };
      return { body, ...this.#lifetimeOf(await making.save(url, made)) };
    } catch (error) {
      throw gone.signal.aborted ? clientGone(error) : error;
    } finally {
      if (waiting?.end === end) waiting.end = () => {};
    }
  }

  /** One that lacks its image or an oEmbed answer, so that it is good for a minute only, is not remembered for an hour. */
  #lifetimeOf({ isIncomplete, expiresTs }: NewPreview | StoredPreview): {
    lifetimeMs?: number;
  } {
    return isIncomplete === true ? { lifetimeMs: expiresTs - this.options.clock.now() } : {};
  }
}

/** SPEC §4.7.1. Throws 400 for what is no address, 403 for a blocked one. */
export function checkRules(gate: UrlGate, { url, userId, requestId }: PreviewRequest): void {
  // No database takes it, and no address has it.
  if (url.includes('\u0000')) throw invalidParam("Query parameter 'url' is not a valid URL");
  gate.check(url, { stage: 'target', userId, requestId });
}

export function bodyOf(outcome: PreviewOutcome): Buffer {
  if ('error' in outcome) throw outcome.error;
  return outcome.body;
}
