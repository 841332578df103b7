import { MINUTE_MS } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { RunProgress } from '../../../job-runner/run-progress.js';
import type { MediaRemoval } from '../../../preview/cleanup/preview-cleanup.js';

/** Long enough to look at a result. */
const KEEP_MS = 10 * MINUTE_MS;

/**
 * Media of tries that store nothing. The image stays for a few minutes, so that the operator sees it; everything
 * goes when the process ends, and what a crash leaves goes with the cleanup of previews.
 */
export class TrialMedia {
  readonly #kept = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly removal: MediaRemoval,
    private readonly logger: Logger,
  ) {}

  /** Removes media of one try at once, but an image to look at a few minutes later. */
  async drop(mediaIds: readonly string[], image: string | null): Promise<void> {
    await this.#remove(mediaIds.filter((mediaId) => mediaId !== image));
    if (image === null || !mediaIds.includes(image)) return;
    const timer = setTimeout(() => {
      this.#kept.delete(image);
      void this.#remove([image]);
    }, KEEP_MS);
    this.#kept.set(image, timer.unref());
  }

  /** Removes what is still kept. */
  async close(): Promise<void> {
    const mediaIds = [...this.#kept.keys()];
    for (const timer of this.#kept.values()) clearTimeout(timer);
    this.#kept.clear();
    await this.#remove(mediaIds);
  }

  async #remove(mediaIds: readonly string[]): Promise<void> {
    try {
      const progress = new RunProgress(new AbortController().signal, () => Promise.resolve(true));
      await this.removal.remove(mediaIds, progress);
    } catch (error) {
      this.logger.warn({ err: error }, 'media of a try stays until the next cleanup');
    }
  }
}
