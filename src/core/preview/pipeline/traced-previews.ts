import type { Trace } from '../../base/trace.js';
import { failureOf } from '../download/download-trace.js';
import type { PreviewCache } from './preview-cache.js';
import type { PreviewRequest, TracedPreview, TrialOptions } from '../build/preview-job.js';
import type { PreviewMaking } from './preview-making.js';
import { msSince, tell, tellMemory, tellStored } from '../build/preview-steps.js';
import { isUsable, type PreviewStore } from './preview-store.js';
import { bodyOf, checkRules } from './previewer.js';
import type { UrlGate } from './url-gate.js';

/** What previews are tried with. */
export interface TracedPreviewsOptions {
  gate: UrlGate;
  cache: PreviewCache;
  store: PreviewStore;
  making: PreviewMaking;
  /** Forgets a URL in the memory of all instances. */
  forget: (url: string) => Promise<unknown>;
}

/**
 * The work of the previewer with every stage told, for an operator: no rate limit holds, and the memory cache learns
 * nothing but that an older answer is over when the new one is stored.
 */
export class TracedPreviews {
  constructor(private readonly options: TracedPreviewsOptions) {}

  /** Rejects as a request for a preview does. */
  async make(request: PreviewRequest, trace: Trace, trial: TrialOptions): Promise<TracedPreview> {
    this.#checkRules(request, trace);
    const kept = trial.ignoreCaches ? null : await this.#keptAnswer(request, trace);
    if (kept !== null) return { body: kept, built: null, dropped: [], storedId: null };

    const { making, forget } = this.options;
    const made = await making.make(request, trace, trial);
    const { built, text, dropped } = made;
    const isWhole = dropped.length === 0;
    tell(trace, 'prune', {
      status: isWhole ? 'ok' : 'warning',
      sentence: isWhole ? 'Nothing was too long or too much.' : `Dropped: ${dropped.join(', ')}`,
      detail: { dropped: dropped.length },
    });
    const result = { body: Buffer.from(text), built, dropped };
    if (!trial.store || built.isCutShort) {
      const why = trial.store ? 'Something could not be had for a reason of our own' : 'This was a try';
      tell(trace, 'store', { status: 'skipped', sentence: `${why}: nothing is kept.` });
      return { ...result, storedId: null };
    }
    trace.begin?.('store');
    const startMs = performance.now();
    const { id } = await making.save(request.url, made);
    await forget(request.url);
    tell(trace, 'store', { status: 'ok', sentence: 'Clients get this from now on.', ms: msSince(startMs) });
    return { ...result, storedId: id };
  }

  #checkRules(request: PreviewRequest, trace: Trace): void {
    try {
      checkRules(this.options.gate, request);
    } catch (error) {
      tell(trace, 'rules', { status: 'failed', ...failureOf(error) });
      throw error;
    }
    tell(trace, 'rules', { status: 'ok', sentence: 'No rule refuses the address.' });
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
}
