import { userClient } from '../../base/client.js';
import { DAY_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { Deadline, isCancelled } from '../../base/deadline.js';
import { ApiError, clientGone, invalidParam, stopping } from '../../base/errors/api-error.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import { SILENT_TRACE, type Trace } from '../../base/trace.js';
import type { PreviewBuilder } from '../build-preview.js';
import {
  MissingParts,
  type BuiltPreview,
  type PreviewRequest,
  type TracedPreview,
  type TrialOptions,
} from '../build/job.js';
import { msSince, tell, tellMemory, tellStored } from '../build/steps.js';
import { timedOut } from '../download/download-errors.js';
import { failureOf } from '../download/download-trace.js';
import { pruneOpenGraph } from '../extract/open-graph.js';
import type { MadePreview, PreviewCache, PreviewOutcome } from './preview-cache.js';
import { isUsable, type NewPreview, type PreviewStore, type StoredPreview } from './preview-store.js';
import type { UrlGate } from './url-gate.js';

/** How an answer came about, `left` when nobody waited for it any more; labels of the metric preview_requests_total. */
export const PREVIEW_RESULTS = ['memory', 'stored', 'made', 'failed', 'blocked', 'left'] as const;
export type PreviewResult = (typeof PREVIEW_RESULTS)[number];

export interface PreviewerOptions {
  gate: UrlGate;
  cache: PreviewCache;
  store: PreviewStore;
  builder: Pick<PreviewBuilder, 'build'>;
  /** Per user; only previews that have to be made count, never answers from a cache. */
  rateLimit: RateLimit;
  clock: Clock;
  /** Limit of one whole preview: page, oEmbed and image. */
  previewTimeoutMs: number;
  onResult: (result: PreviewResult) => void;
  /** Whether a user has downloads that wait for a slot. */
  isBusy: (userId: string) => boolean;
  forget: (url: string) => Promise<unknown>;
}

/** A preview that has been made: the answer, and the names of what is not in it (SPEC §4.7.12). */
interface MadeAnswer {
  built: BuiltPreview;
  text: string;
  dropped: string[];
}

/** How long a preview lives that is without its image because of this server's own error. */
const CUT_SHORT_LIFETIME_MS = 30 * SECOND_MS;

/** The rules of SPEC §4.7: URL rules (1), memory (2), store (3), and else a preview made anew, pruned and stored (12, 13). */
export class Previewer {
  readonly #deadlines = new Set<Deadline>();
  readonly #making = new Set<Promise<MadePreview>>();

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
      this.#checkRules(request);
    } catch (error) {
      onResult('blocked');
      throw error;
    }
    const remembered = cache.peek(request.url);
    if (remembered === null) return this.#fromCache(request);
    onResult('memory');
    return bodyOf(remembered);
  }

  /**
   * The same with every stage told, for an operator: no rate limit holds, and the memory cache learns nothing but that an
   * older answer is over when the new one is stored.
   */
  async try(request: PreviewRequest, trace: Trace, trial: TrialOptions): Promise<TracedPreview> {
    try {
      this.#checkRules(request);
    } catch (error) {
      tell(trace, 'rules', { status: 'failed', ...failureOf(error) });
      throw error;
    }
    tell(trace, 'rules', { status: 'ok', sentence: 'No rule refuses the address.' });
    const kept = trial.ignoreCaches ? null : await this.#keptAnswer(request, trace);
    if (kept !== null) return { body: kept, built: null, dropped: [], storedId: null };

    const made = await this.#make(request, trace, trial);
    const { built, text, dropped } = made;
    const isWhole = dropped.length === 0;
    tell(trace, 'prune', {
      status: isWhole ? 'ok' : 'warning',
      sentence: isWhole ? 'Nothing was shortened or left out.' : `Dropped: ${dropped.join(', ')}`,
      detail: { dropped: dropped.length },
    });
    const result = { body: Buffer.from(text), built, dropped };
    if (built.isCutShort) {
      const sentence = 'A part failed because of this server: nothing is kept.';
      tell(trace, 'store', { status: 'skipped', sentence });
      return { ...result, storedId: null };
    }
    trace.begin?.('store');
    const startMs = performance.now();
    const { id } = await this.#save(request.url, made);
    await this.options.forget(request.url);
    tell(trace, 'store', {
      status: 'ok',
      sentence: 'Stored; clients get this preview.',
      ms: msSince(startMs),
    });
    return { ...result, storedId: id };
  }

  /** Ends what is under way; resolves when no preview for a client is. */
  async close(): Promise<void> {
    for (const deadline of this.#deadlines) deadline.cancel();
    await Promise.allSettled(this.#making);
  }

  /** SPEC §4.7.1. Throws 400 for what is not an address, 403 for a blocked one. */
  #checkRules({ url, userId, requestId }: PreviewRequest): void {
    // No database takes it, and no address has it.
    if (url.includes('\u0000')) throw invalidParam("Query parameter 'url' is not a valid URL");
    this.options.gate.check(url, { stage: 'target', userId, requestId });
  }

  /** SPEC §4.7.2: joins the computation under way or starts one. Somebody else's rate limit is not ours. */
  async #fromCache(request: PreviewRequest): Promise<Buffer> {
    const { cache, isBusy } = this.options;
    let isOwn = false;
    const make = (gone: AbortSignal): Promise<MadePreview> => {
      isOwn = true;
      const making = this.#findOrMake(request, gone);
      this.#making.add(making);
      const isOver = (): unknown => this.#making.delete(making);
      making.then(isOver, isOver);
      return making;
    };
    const outcome = await cache.get(request, make, isBusy);
    const isLimited = 'error' in outcome && outcome.error instanceof ApiError && outcome.error.status === 429;
    return bodyOf(isLimited && !isOwn ? await cache.get(request, make, isBusy) : outcome);
  }

  async #findOrMake(request: PreviewRequest, gone: AbortSignal): Promise<MadePreview> {
    const { store, rateLimit, onResult } = this.options;
    const { url, ts, userId } = request;
    try {
      // SPEC §4.7.3
      const stored = await store.findAt(url, ts);
      if (stored !== null && isUsable(stored, ts)) {
        onResult('stored');
        return { body: Buffer.from(stored.openGraph), ...this.#lifetimeOf(stored) };
      }
      rateLimit.take(userId);
      const made = await this.#make(request, SILENT_TRACE, { signal: gone });
      const body = Buffer.from(made.text);
      // A later request may get the image, too; until then not each one runs into the same failure again.
      const lifetime = made.built.isCutShort
        ? { lifetimeMs: CUT_SHORT_LIFETIME_MS }
        : this.#lifetimeOf(await this.#save(url, made));
      onResult('made');
      return { body, ...lifetime };
    } catch (error) {
      onResult(gone.aborted ? 'left' : 'failed');
      throw gone.aborted ? clientGone(error) : error;
    }
  }

  /** SPEC §4.7.4 to §4.7.12. Rejects as the builder does, and with 503 when the server stops. */
  async #make(
    { url, userId, requestId }: PreviewRequest,
    trace: Trace,
    { signal: given }: Partial<TrialOptions>,
  ): Promise<MadeAnswer> {
    const deadline = new Deadline(this.options.previewTimeoutMs, given);
    const { signal } = deadline;
    this.#deadlines.add(deadline);
    try {
      const about = { url, userId, requestId, client: userClient(userId), missing: new MissingParts() };
      const built = await this.options.builder.build({ ...about, signal, trace });
      // Steps that may fail were cut short, too: what they would have brought is missing.
      if (isCancelled(signal)) throw stopping();
      const { kept, dropped } = pruneOpenGraph(built.openGraph);
      return { built, text: JSON.stringify(Object.fromEntries(kept)), dropped };
    } catch (error) {
      // Work that was merely told to stop rejects with the signal's reason.
      if (error instanceof ApiError || !signal.aborted) throw error;
      throw isCancelled(signal) ? stopping() : timedOut('headers', url);
    } finally {
      this.#deadlines.delete(deadline);
      deadline.close();
    }
  }

  /** SPEC §4.7.13. The stored text is the answer, byte for byte. Resolves to the row with its id. */
  async #save(url: string, { built, text }: MadeAnswer): Promise<NewPreview & { id: number }> {
    const { store, clock } = this.options;
    const createdTs = clock.now();
    const { responseCode, etag, mediaId, downloadTs, oembedKeys, isIncomplete } = built;
    const expiresTs = createdTs + Math.min(built.validityMs, DAY_MS);
    const about = { url, openGraph: text, responseCode, etag, mediaId, oembedKeys, isIncomplete };
    const row = { ...about, createdTs, expiresTs, downloadTs };
    return { id: await store.save(row), ...row };
  }

  /** What a client would get without anything being made; `null` when there is nothing. */
  async #keptAnswer({ url, ts }: PreviewRequest, trace: Trace): Promise<Buffer | null> {
    const entry = this.options.cache.look(url);
    tellMemory(trace, entry);
    if (entry !== null && entry.outcome !== null) return bodyOf(entry.outcome);
    const startMs = performance.now();
    const stored = await this.options.store.findAt(url, ts);
    const usable = stored !== null && isUsable(stored, ts);
    tellStored(trace, stored, { usable, ms: msSince(startMs) });
    return usable ? Buffer.from(stored.openGraph) : null;
  }

  /** One that lacks its image or an oEmbed answer, so that it is good for a minute only, is not remembered for an hour. */
  #lifetimeOf({ isIncomplete, expiresTs }: NewPreview | StoredPreview): { lifetimeMs?: number } {
    return isIncomplete === true ? { lifetimeMs: expiresTs - this.options.clock.now() } : {};
  }
}

function bodyOf(outcome: PreviewOutcome): Buffer {
  if ('error' in outcome) throw outcome.error;
  return outcome.body;
}
