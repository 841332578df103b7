import type { Clock } from '../clock.js';
import { DAY_MS } from '../clock.js';
import { Deadline } from '../deadline.js';
import { timedOut } from '../download/errors.js';
import { ApiError, invalidParam, stopping } from '../errors.js';
import { pruneOpenGraph } from '../extract/open-graph.js';
import { SILENT_TRACE } from '../trace.js';
import type { Trace } from '../trace.js';
import type { PreviewBuilder } from './preview-builder.js';
import type { PreviewCache, PreviewOutcome } from './preview-cache.js';
import type { BuiltPreview, PreviewRequest } from './preview-job.js';
import { isUsable } from './preview-store.js';
import type { PreviewStore } from './preview-store.js';
import type { UrlGate } from './url-gate.js';
import type { UserRateLimit } from './user-rate-limit.js';

/** How an answer came about; label of the metric preview_requests_total. */
export type PreviewResult = 'memory' | 'stored' | 'made' | 'failed' | 'blocked';

/** What the previewer is built from. */
export interface PreviewerOptions {
  gate: UrlGate;
  cache: PreviewCache;
  store: PreviewStore;
  builder: PreviewBuilder;
  rateLimit: UserRateLimit;
  clock: Clock;
  /** Limit of one whole preview: page, oEmbed and picture. */
  previewTimeoutMs: number;
  onResult: (result: PreviewResult) => void;
}

/** The rules of §4.7: URL rules, memory, store, and else a preview made anew. */
export class Previewer {
  readonly #running = new Set<Deadline>();
  readonly #building = new Set<Promise<Buffer>>();

  constructor(private readonly options: PreviewerOptions) {}

  /**
   * The bytes of the Open Graph object. Rejects with 403 for a blocked URL, 429 and 503 when there is too much
   * to do, and the errors of §7; each failure is re-served for as long as it is remembered.
   */
  async preview(request: PreviewRequest): Promise<Buffer> {
    const { gate, cache, onResult } = this.options;
    // No database takes it, and no address has it.
    if (request.url.includes('\u0000')) throw invalidParam("Query parameter 'url' is not a valid URL");
    try {
      // Before the cache, so that a changed rule takes effect at once (D7).
      gate.check(request.url, { ...request, stage: 'target' });
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

  /** The same work with every step told, past both caches; its outcome is not kept. */
  async trace(request: PreviewRequest, trace: Trace): Promise<BuiltPreview> {
    this.options.gate.check(request.url, { ...request, stage: 'target' });
    return this.#build(request, trace);
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
      void computation.finally(() => this.#building.delete(computation)).catch(() => undefined);
      return computation;
    };
    const outcome = await this.options.cache.get(request.url, compute);
    const limited = 'error' in outcome && outcome.error instanceof ApiError && outcome.error.status === 429;
    return bodyOf(limited && !isOwn ? await this.options.cache.get(request.url, compute) : outcome);
  }

  async #compute(request: PreviewRequest): Promise<Buffer> {
    const { store, rateLimit, onResult } = this.options;
    try {
      const stored = await store.findAt(request.url, request.ts);
      if (stored !== null && isUsable(stored, request.ts)) {
        onResult('stored');
        return Buffer.from(stored.openGraph);
      }
      rateLimit.take(request.userId);
      const built = await this.#build(request, SILENT_TRACE);
      const body = await this.#save(request.url, built);
      onResult('made');
      return body;
    } catch (error) {
      onResult('failed');
      throw error;
    }
  }

  async #build(request: PreviewRequest, trace: Trace): Promise<BuiltPreview> {
    const { builder, previewTimeoutMs } = this.options;
    const deadline = new Deadline(previewTimeoutMs);
    this.#running.add(deadline);
    try {
      const { url, userId, requestId } = request;
      return await builder.build({ url, userId, requestId, signal: deadline.signal, trace });
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

  /** §4.7.12 and §4.7.13. The stored text is the answer, byte for byte. */
  async #save(url: string, built: BuiltPreview): Promise<Buffer> {
    const { store, clock } = this.options;
    const openGraph = JSON.stringify(Object.fromEntries(pruneOpenGraph(built.openGraph).kept));
    const createdTs = clock.now();
    const { responseCode, etag, mediaId, downloadTs } = built;
    const expiresTs = createdTs + Math.min(built.validityMs, DAY_MS);
    await store.save({ url, openGraph, createdTs, expiresTs, responseCode, etag, mediaId, downloadTs });
    return Buffer.from(openGraph);
  }
}

function bodyOf(outcome: PreviewOutcome): Buffer {
  if ('error' in outcome) throw outcome.error;
  return outcome.body;
}
