import { userClient, type Client } from '../../base/client.js';
import { DAY_MS, type Clock } from '../../base/clock.js';
import { Deadline, isCancelled } from '../../base/deadline.js';
import { ApiError, stopping } from '../../base/errors/api-error.js';
import type { Trace } from '../../base/trace.js';
import { timedOut } from '../download/download-errors.js';
import { pruneOpenGraph } from '../extract/open-graph.js';
import type { PreviewBuilder } from '../build-preview.js';
import type { BuiltPreview, PreviewRequest, TrialOptions } from '../build/preview-job.js';
import type { NewPreview, PreviewStore } from './preview-store.js';

/** What previews are made with. */
export interface PreviewMakingOptions {
  builder: Pick<PreviewBuilder, 'build'>;
  store: PreviewStore;
  clock: Clock;
  /** Limit of one whole preview: page, oEmbed and image. */
  previewTimeoutMs: number;
}

/** How it is made. */
export interface MakeOptions extends Partial<TrialOptions> {
  /** On whose behalf; the user of the request when absent. */
  client?: Client | undefined;
}

/** A preview that has been made: the answer, and the names of what is not in it (SPEC §4.7.12). */
export interface MadeAnswer {
  built: BuiltPreview;
  text: string;
  dropped: string[];
}

/** Makes previews within their time, prunes and stores them (SPEC §4.7.12 and §4.7.13). */
export class PreviewMaking {
  readonly #running = new Set<Deadline>();

  constructor(private readonly options: PreviewMakingOptions) {}

  /** Rejects as the builder does, and with 503 when the server stops. */
  async make(
    { url, userId, requestId }: PreviewRequest,
    trace: Trace,
    { signal: given, acceptLanguage, noteMedia, client = userClient(userId) }: MakeOptions,
  ): Promise<MadeAnswer> {
    const deadline = new Deadline(this.options.previewTimeoutMs, given);
    const { signal } = deadline;
    this.#running.add(deadline);
    try {
      const job = { url, userId, requestId, client, signal, trace, acceptLanguage, noteMedia };
      const built = await this.options.builder.build(job);
      // Steps that may fail were cut short, too: what they would have brought is missing.
      if (isCancelled(signal)) throw stopping();
      const { kept, dropped } = pruneOpenGraph(built.openGraph);
      return { built, text: JSON.stringify(Object.fromEntries(kept)), dropped };
    } catch (error) {
      // Work that was merely told to stop rejects with the signal's reason.
      if (error instanceof ApiError || !signal.aborted) throw error;
      throw isCancelled(signal) ? stopping() : timedOut('headers', url);
    } finally {
      this.#running.delete(deadline);
      deadline.close();
    }
  }

  /** The stored text is the answer, byte for byte. Resolves to the row with its id. */
  async save(url: string, { built, text }: MadeAnswer): Promise<NewPreview & { id: number }> {
    const { store, clock } = this.options;
    const createdTs = clock.now();
    const { responseCode, etag, mediaId, downloadTs, oembedKeys, isIncomplete } = built;
    const expiresTs = createdTs + Math.min(built.validityMs, DAY_MS);
    const about = { url, openGraph: text, responseCode, etag, mediaId, oembedKeys, isIncomplete };
    const row = { ...about, createdTs, expiresTs, downloadTs };
    return { id: await store.save(row), ...row };
  }

  /** Ends what is under way. */
  close(): void {
    for (const deadline of this.#running) deadline.cancel();
  }
}
