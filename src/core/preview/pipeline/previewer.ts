import { userAsker, type Asker } from '../../base/places/asker.js';
import { DAY_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { Deadline, isCancelled } from '../../base/deadline.js';
import { failureOf } from '../download/download-trace.js';
import { timedOut } from '../download/download-errors.js';
import { ApiError, clientGone, invalidParam, stopping } from '../../base/errors/api-error.js';
import { pruneOpenGraph } from '../extract/open-graph.js';
import { SILENT_TRACE, type Trace } from '../../base/trace.js';
import { Audience } from './audience.js';
import type { PreviewBuilder } from './preview-builder.js';
import type { PreviewCache, PreviewOutcome } from './preview-cache.js';
import type { BuiltPreview, PreviewRequest, TracedPreview, TrialOptions } from './preview-job.js';
import { msSince, tell, tellMemory, tellStored } from './steps/preview-steps.js';
import type { PreviewForgetting } from './preview-forgetting.js';
import { isUsable, type NewPreview, type PreviewStore, type StoredPreview } from './preview-store.js';
import type { SharedMaking } from './shared-making.js';
import type { UrlGate } from './steps/url-gate.js';
import type { RateLimit } from '../../base/places/rate-limit.js';

/** How an answer came about, `left` when nobody waited for it any more; labels of the metric preview_requests_total. */
export const PREVIEW_RESULTS = ['memory', 'stored', 'made', 'failed', 'blocked', 'left'] as const;
export type PreviewResult = (typeof PREVIEW_RESULTS)[number];

/** What the previewer is built from. */
export interface PreviewerOptions {
  gate: UrlGate;
  cache: PreviewCache;
  store: PreviewStore;
  builder: Pick<PreviewBuilder, 'build'>;
  sharedMaking: SharedMaking;
  forgetting: PreviewForgetting;
  /** Per user; only previews that have to be made count, never answers from a cache. */
  rateLimit: RateLimit;
  clock: Clock;
  /** Limit of one whole preview: page, oEmbed and image. */
  previewTimeoutMs: number;
  onResult: (result: PreviewResult, request: PreviewRequest, came: PreviewCame) => void;
}

/** What a request for a preview came to. */
export interface PreviewCame {
  /** What it failed with. */
  error?: unknown;
  /** The stored download, where a preview was made. */
  mediaId?: string;
}

/** How long a preview lives that is without its image because of this server's own error. */
const CUT_SHORT_LIFETIME_MS = 30 * SECOND_MS;

/** The rules of SPEC §4.7: URL rules, memory, store, and else a preview made anew. */
export class Previewer {
  readonly #running = new Set<Deadline>();
  readonly #building = new Set<Promise<Buffer>>();
  readonly #audience = new Audience();

  constructor(private readonly options: PreviewerOptions) {}

  /**
   * The bytes of the Open Graph object. Rejects with 403 for a blocked URL, 429 and 503 when there is too much
   * to do, and the errors of SPEC §7; each failure is re-served for as long as it is remembered. What is remembered
   * comes, and is thrown, at once: rooms' links are asked for in bursts, mostly from memory.
   */
  preview(request: PreviewRequest): Buffer | Promise<Buffer> {
    const { gate, cache, onResult } = this.options;
    const { url, userId, requestId } = request;
    refuseNul(url);
    try {
      // Before the cache, so that a changed rule takes effect at once.
      gate.check(url, { stage: 'target', userId, requestId });
    } catch (error) {
      onResult('blocked', request, { error });
      throw error;
    }
    const remembered = cache.peek(url);
    if (remembered !== null) {
      onResult('memory', request, {});
      return bodyOf(remembered);
    }
    const leave = this.#audience.join(url, userAsker(userId, requestId));
    request.whenGone?.(leave);
    return this.#fromCache(request).finally(leave);
  }

  /**
   * The same work with every stage told, for an operator: no rate limit holds, and the memory cache learns nothing
   * but that an older answer is over when the new one is stored. Rejects as `preview` does.
   */
  async trace(request: PreviewRequest, trace: Trace, trial: TrialOptions): Promise<TracedPreview> {
    refuseNul(request.url);
    this.#checkRules(request, trace);
    const kept = trial.ignoreCaches ? this.#passCaches(trace) : await this.#keptAnswer(request, trace);
    if (kept !== null) return { body: kept, built: null, dropped: [], storedId: null };

    const built = await this.#build(request, trace, trial);
    const { openGraph, dropped } = pruned(built);
    const status = dropped.length === 0 ? 'ok' : 'warning';
    const sentence =
      dropped.length === 0 ? 'Nothing was too long or too much.' : `Dropped: ${dropped.join(', ')}`;
    tell(trace, 'prune', { status, sentence, detail: { dropped: dropped.length } });
    if (!trial.store || built.isCutShort) {
      const why = trial.store ? 'Something could not be had for a reason of our own' : 'This was a try';
      tell(trace, 'store', { status: 'skipped', sentence: `${why}: nothing is kept.` });
      return { body: Buffer.from(openGraph), built, dropped, storedId: null };
    }
    trace.begin?.('store');
    const startMs = performance.now();
    const { body, id } = await this.#save(request.url, built);
    await this.options.forgetting.forget([request.url]);
    tell(trace, 'store', { status: 'ok', sentence: 'Clients get this from now on.', ms: msSince(startMs) });
    return { body, built, dropped, storedId: id };
  }

  /** Resolves when no preview is under way. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#building);
  }

  /** Ends previews under way; those who wait get an error. */
  close(): void {
    for (const deadline of this.#running) deadline.cancel();
  }

  /** Joins the computation under way or starts one. Somebody else's rate limit is not ours. */
  async #fromCache(request: PreviewRequest): Promise<Buffer> {
    let isOwn = false;
    const compute = () => {
      isOwn = true;
      const computation = this.#compute(request);
      this.#building.add(computation);
      // Whoever waits for it is told of its failure; here it only counts that it is over.
      const isOver = (): unknown => this.#building.delete(computation);
      computation.then(isOver, isOver);
      return computation;
    };
    const outcome = await this.options.cache.get(request.url, compute);
    const limited = 'error' in outcome && outcome.error instanceof ApiError && outcome.error.status === 429;
    return bodyOf(limited && !isOwn ? await this.options.cache.get(request.url, compute) : outcome);
  }

  async #compute(request: PreviewRequest): Promise<Buffer> {
    const { onResult } = this.options;
    try {
      const stored = await this.#findStored(request);
      if (stored !== null) {
        onResult('stored', request, {});
        return stored;
      }
      const came: PreviewCame = {};
      const body = await this.#makeForAudience(request, came);
      onResult('made', request, came);
      return body;
    } catch (error) {
      const isLeft = error instanceof ApiError && error.reason === 'client_gone';
      onResult(isLeft ? 'left' : 'failed', request, { error });
      throw error;
    }
  }

  async #findStored({ url, ts }: PreviewRequest): Promise<Buffer | null> {
    const stored = await this.options.store.findAt(url, ts);
    if (stored === null || !isUsable(stored, ts)) return null;
    this.#keepNoLonger(stored);
    return Buffer.from(stored.openGraph);
  }

  /**
   * One that lacks its image or an oEmbed answer, so that it is good for a minute only, is not remembered for an hour,
   * whoever made it.
   */
  #keepNoLonger({ url, expiresTs, isIncomplete }: NewPreview | StoredPreview): void {
    const { cache, clock } = this.options;
    if (isIncomplete === true) cache.keepBriefly(url, expiresTs - clock.now());
  }

  /** Ends when all who waited have gone; whoever asks then starts anew. `came` gets the media, if it is made here. */
  async #makeForAudience(request: PreviewRequest, came: PreviewCame): Promise<Buffer> {
    const { cache, sharedMaking, rateLimit } = this.options;
    const { url, userId, requestId } = request;
    const gone = new AbortController();
    const { signal } = gone;
    const forget = this.#audience.whenAllGone(url, () => {
      cache.forget(url);
      gone.abort();
    });
    try {
      return await sharedMaking.make(url, signal, {
        findStored: () => this.#findStored(request),
        make: async () => {
          rateLimit.take(userId);
          const asker = this.#audience.with(url, userAsker(userId, requestId));
          const built = await this.#build(request, SILENT_TRACE, { signal, asker });
          came.mediaId = built.mediaId;
          if (built.isCutShort) return { body: this.#unkept(url, built), isStored: false };
          const { body, row } = await this.#save(url, built);
          this.#keepNoLonger(row);
          return { body, isStored: true };
        },
      });
    } catch (error) {
      throw signal.aborted ? clientGone(error) : error;
    } finally {
      forget();
    }
  }

  /** Who asks later may get the image, too; until then not each asker runs into the same failure again. */
  #unkept(url: string, built: BuiltPreview): Buffer {
    this.options.cache.keepBriefly(url, CUT_SHORT_LIFETIME_MS);
    return Buffer.from(pruned(built).openGraph);
  }

  #checkRules(request: PreviewRequest, trace: Trace): void {
    try {
      const { url, userId, requestId } = request;
      this.options.gate.check(url, { stage: 'target', userId, requestId });
    } catch (error) {
      tell(trace, 'rules', { status: 'failed', ...failureOf(error) });
      throw error;
    }
    tell(trace, 'rules', { status: 'ok', sentence: 'No rule refuses the address.' });
  }

  #passCaches(trace: Trace): null {
    const sentence = 'Asked not to look.';
    tell(trace, 'memory', { status: 'skipped', sentence });
    tell(trace, 'stored', { status: 'skipped', sentence });
    return null;
  }

  /** What a client would get without anything being made; `null` when there is nothing. */
  async #keptAnswer(request: PreviewRequest, trace: Trace): Promise<Buffer | null> {
    const entry = this.options.cache.look(request.url);
    tellMemory(trace, entry);
    if (entry !== null && entry.outcome !== null) return bodyOf(entry.outcome);
    const startMs = performance.now();
    const stored = await this.options.store.findAt(request.url, request.ts);
    const usable = stored !== null && isUsable(stored, request.ts);
    tellStored(trace, stored, { usable, ms: msSince(startMs) });
    return usable ? Buffer.from(stored.openGraph) : null;
  }

  async #build(
    request: PreviewRequest,
    trace: Trace,
    trial: Partial<TrialOptions> & { asker?: Asker },
  ): Promise<BuiltPreview> {
    const { builder, previewTimeoutMs } = this.options;
    const deadline = new Deadline(previewTimeoutMs, trial.signal);
    this.#running.add(deadline);
    try {
      const { url, userId, requestId } = request;
      const { signal } = deadline;
      const { acceptLanguage, noteMedia, asker = userAsker(userId, requestId) } = trial;
      const job = { url, userId, requestId, asker, signal, trace, acceptLanguage, noteMedia };
      const built = await builder.build(job);
      // Steps that may fail were cut short, too: what they would have brought is missing.
      if (isCancelled(signal)) throw stopping();
      return built;
    } catch (error) {
      // Work that was merely told to stop rejects with the signal's reason.
      if (error instanceof ApiError || !deadline.signal.aborted) throw error;
      const { reason } = deadline.error('timeout_headers', request.url);
      throw reason === 'aborted' ? stopping() : timedOut('headers', request.url);
    } finally {
      this.#running.delete(deadline);
      deadline.close();
    }
  }

  /** SPEC §4.7.12 and §4.7.13. The stored text is the answer, byte for byte. */
  async #save(url: string, built: BuiltPreview): Promise<{ body: Buffer; row: NewPreview; id: number }> {
    const { store, clock } = this.options;
    const { openGraph } = pruned(built);
    const createdTs = clock.now();
    const { responseCode, etag, mediaId, downloadTs, oembedKeys, isIncomplete } = built;
    const expiresTs = createdTs + Math.min(built.validityMs, DAY_MS);
    const times = { createdTs, expiresTs, downloadTs };
    const row = { url, openGraph, responseCode, etag, mediaId, oembedKeys, isIncomplete, ...times };
    return { body: Buffer.from(openGraph), row, id: await store.save(row) };
  }
}

/** SPEC §4.7.12: the answer, and the names of what is not in it. */
function pruned(built: BuiltPreview): { openGraph: string; dropped: string[] } {
  const { kept, dropped } = pruneOpenGraph(built.openGraph);
  return { openGraph: JSON.stringify(Object.fromEntries(kept)), dropped };
}

/** No database takes it, and no address has it. */
function refuseNul(url: string): void {
  if (url.includes('\u0000')) throw invalidParam("Query parameter 'url' is not a valid URL");
}

function bodyOf(outcome: PreviewOutcome): Buffer {
  if ('error' in outcome) throw outcome.error;
  return outcome.body;
}
