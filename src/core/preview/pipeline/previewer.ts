import { userClient, type FairQueue } from '../../base/fair-queue.js';
import { DAY_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { Deadline, isCancelled } from '../../base/deadline.js';
import { ApiError, clientGone, invalidParam, stopping } from '../../base/errors/api-error.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import type { BuiltPreview, PreviewBuilder } from '../build-preview.js';
import { msSince, type PreviewTrace } from '../build/preview-trace.js';
import type { PreviewTargets } from '../build/targets.js';
import { timedOut } from '../download/download-errors.js';
import { pruneOpenGraph } from '../extract/values.js';
import type {
  MadePreview,
  PreviewCache,
  PreviewForgetting,
  PreviewOutcome,
  PreviewRequest,
} from './preview-cache.js';
import { isUsable, type PreviewStore, type StoredPreview } from './preview-store.js';

/** How an answer came about, `left` when nobody waited for it any more; labels of the metric preview_requests_total. */
export type PreviewResult = 'memory' | 'stored' | 'made' | 'failed' | 'blocked' | 'left';

export interface PreviewerOptions {
  targets: Pick<PreviewTargets, 'check'>;
  /** Of downloads. */
  queue: Pick<FairQueue, 'waitingOf'>;
  cache: PreviewCache;
  forgetting: PreviewForgetting;
  store: PreviewStore;
  builder: Pick<PreviewBuilder, 'build'>;
  /** Per user; only previews that have to be made count, never answers from a cache. */
  rateLimit: RateLimit;
  clock: Clock;
  /** Limit of one whole preview: page, oEmbed and image. */
  previewTimeoutMs: number;
  count: (result: PreviewResult) => void;
}

/** How a try of an operator differs from a client's request. */
export interface TrialOptions {
  /** `null`: nobody watches. */
  trace: PreviewTrace | null;
  /** Whether the preview is made anew even where one is kept. */
  ignoreCaches: boolean;
  signal?: AbortSignal | undefined;
}

export type TracedPreview = Awaited<ReturnType<Previewer['try']>>;

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
    const { cache, count } = this.options;
    try {
      // Before the cache, so that a changed rule takes effect at once.
      this.#checkRules(request);
    } catch (error) {
      count('blocked');
      throw error;
    }
    const remembered = cache.peek(request.url)?.outcome ?? null;
    if (remembered === null) return this.#fromCache(request);
    count('memory');
    return bodyOf(remembered);
  }

  /**
   * The same with every stage told, for an operator: no rate limit holds, and the memory cache learns nothing but that an
   * older answer is over when the new one is stored.
   */
  async try(request: PreviewRequest, trial: TrialOptions) {
    const { trace } = trial;
    try {
      this.#checkRules(request);
    } catch (error) {
      trace?.refused(error);
      throw error;
    }
    trace?.tell('rules', 'No rule refuses the address.');
    const kept = trial.ignoreCaches ? null : await this.#keptAnswer(request, trace);
    if (kept !== null) return { body: kept, built: null, dropped: [], storedId: null };

    const made = await this.#make(request, trial);
    const { built, text, dropped } = made;
    if (dropped.length === 0) trace?.tell('prune', 'Nothing was shortened or left out.');
    else trace?.tell('prune', `Dropped: ${dropped.join(', ')}`, { status: 'warning' });
    const result = { body: Buffer.from(text), built, dropped };
    if (built.isCutShort) {
      trace?.tell('store', 'A part failed because of this server: nothing is kept.', { status: 'skipped' });
      return { ...result, storedId: null };
    }
    const part = trace?.part('store');
    const { id } = await this.#save(request.url, made);
    await this.options.forgetting.forget([request.url]);
    part?.end('ok', 'Stored; clients get this preview.');
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
    this.options.targets.check(url, { stage: 'target', userId, requestId });
  }

  /** SPEC §4.7.2: joins the computation under way or starts one. Somebody else's rate limit is not ours. */
  async #fromCache(request: PreviewRequest): Promise<Buffer> {
    const { cache, queue } = this.options;
    const isBusy = (userId: string): boolean => queue.waitingOf(userClient(userId)) > 0;
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
    const { store, rateLimit, count } = this.options;
    const { url, ts, userId } = request;
    try {
      // SPEC §4.7.3
      const stored = await store.findAt(url, ts);
      if (stored !== null && isUsable(stored, ts)) {
        count('stored');
        return { body: Buffer.from(stored.openGraph), ...this.#lifetimeOf(stored) };
      }
      rateLimit.take(userId);
      const made = await this.#make(request, { signal: gone });
      const body = Buffer.from(made.text);
      // A later request may get the image, too; until then not each one runs into the same failure again.
      const lifetime = made.built.isCutShort
        ? { lifetimeMs: CUT_SHORT_LIFETIME_MS }
        : this.#lifetimeOf(await this.#save(url, made));
      count('made');
      return { body, ...lifetime };
    } catch (error) {
      count(gone.aborted ? 'left' : 'failed');
      throw gone.aborted ? clientGone(error) : error;
    }
  }

  /** SPEC §4.7.4 to §4.7.12; `dropped` names what is not in the answer. Rejects as the builder does, and with 503 when the server stops. */
  async #make(
    { url, userId, requestId }: PreviewRequest,
    { signal: given, trace = null }: Partial<TrialOptions>,
  ) {
    const deadline = new Deadline(this.options.previewTimeoutMs, given);
    const { signal } = deadline;
    this.#deadlines.add(deadline);
    try {
      const missing = { isCutShort: false, isUnresolved: false };
      const job = { url, userId, requestId, client: userClient(userId), missing, signal, trace };
      const built = await this.options.builder.build(job);
      // Steps that may fail were cut short, too: what they would have brought is missing.
      if (isCancelled(signal)) throw stopping();
      const { kept, dropped } = pruneOpenGraph(built.openGraph);
      return { built, text: JSON.stringify(Object.fromEntries(kept)), dropped };
    } catch (error) {
      // Work that has been stopped rejects with the signal's reason.
      if (error instanceof ApiError || !signal.aborted) throw error;
      throw isCancelled(signal) ? stopping() : timedOut('headers', url);
    } finally {
      this.#deadlines.delete(deadline);
      deadline.close();
    }
  }

  /** SPEC §4.7.13. The stored text is the answer, byte for byte. Resolves to the row with its id. */
  async #save(url: string, { built, text }: { built: BuiltPreview; text: string }) {
    const { store, clock } = this.options;
    const createdTs = clock.now();
    const { responseCode, etag, mediaId, downloadTs, oembedKeys, isIncomplete } = built;
    const expiresTs = createdTs + Math.min(built.validityMs, DAY_MS);
    const about = { url, openGraph: text, responseCode, etag, mediaId, oembedKeys, isIncomplete };
    const row = { ...about, createdTs, expiresTs, downloadTs };
    return { id: await store.save(row), ...row };
  }

  /** What a client would get without anything being made; `null` when there is nothing. */
  async #keptAnswer({ url, ts }: PreviewRequest, trace?: PreviewTrace | null): Promise<Buffer | null> {
    const entry = this.options.cache.peek(url);
    trace?.memory(entry);
    if (entry?.outcome) return bodyOf(entry.outcome);
    const startMs = performance.now();
    const stored = await this.options.store.findAt(url, ts);
    const usable = stored !== null && isUsable(stored, ts);
    trace?.stored(stored, { usable, ms: msSince(startMs) });
    return usable ? Buffer.from(stored.openGraph) : null;
  }

  /** One that lacks its image or an oEmbed answer, so that it is good for a minute only, is not remembered for an hour. */
  #lifetimeOf({ isIncomplete, expiresTs }: Pick<StoredPreview, 'isIncomplete' | 'expiresTs'>) {
    return isIncomplete === true ? { lifetimeMs: expiresTs - this.options.clock.now() } : {};
  }
}

function bodyOf(outcome: PreviewOutcome): Buffer {
  if ('error' in outcome) throw outcome.error;
  return outcome.body;
}
