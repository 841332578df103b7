import { setMaxListeners } from 'node:events';

import { unavailable, ApiError, stopping } from '../../base/errors/api-error.js';
import {
  workQueue,
  type FairQueue,
  type FairQueueOptions,
  type QueueLoad,
  type Client,
} from '../../base/fair-queue.js';
import { entryCache } from '../../base/runtime/cache.js';
import { isStoreUnavailable } from '../../store/store-errors.js';
import { TIMEOUT_ERROR, MAX_AT_ONCE } from './image/thumbnailer.js';
import { type ThumbnailSize, thumbnailFolder, thumbnailPath } from './media-paths.js';
import type { MediaParts, NewMedia, ThumbnailRow } from './media-store.js';
import { storageError } from './storage/media-storage.js';

interface ThumbnailMakingOptions extends MediaParts {
  sizes: readonly ThumbnailSize[];
  /** Setting max_image_pixels: images with as many pixels or more are not decoded. */
  maxPixels: number;
  maxPending: number;
  onLimit?: FairQueueOptions['onLimit'];
}

/** On whose behalf thumbnails are made, which of them, and what ends the wait. */
interface MakeOptions {
  client?: Client | undefined;
  signal?: AbortSignal | undefined;
  sizes?: readonly ThumbnailSize[];
}

/** More than are decoded at once: while one waits for the storage, others compute. One slot more for light users. */
const MAX_RUNNING = MAX_AT_ONCE + 2;
const MAX_WAITING = 128;
/** Thumbnails made behind answers at once; few, so that requests for thumbnails find a free slot. */
const LATER_AT_ONCE = 2;
/** Failures that may be another's doing, once. */
const COUNTED: ReadonlySet<string | null> = new Set(['worker_died', 'image_timeout']);
const MAX_REMEMBERED = 10_000;
/** In place of a media id: the images that have failed so. */
const SUSPECTS = '';

/** Makes thumbnails of images, for one image one after the other: right behind an answer, or when requested. */
export class ThumbnailMaking {
  readonly #making: FairQueue;
  readonly #later: FairQueue;
  /** The last work on the thumbnails of each media. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #pending = new Set<Promise<void>>();
  /** New images whose thumbnails are to follow; not those for which a request made them meanwhile. */
  readonly #unmade = new Set<string>();
  /** Images that have failed once in such a way, by media id. */
  readonly #failedOnce = entryCache<true>(MAX_REMEMBERED);
  readonly #closing = new AbortController();

  constructor(private readonly options: ThumbnailMakingOptions) {
    const { maxPending, onLimit } = options;
    // All that wait listen to it, and their number is bounded.
    setMaxListeners(0, this.#closing.signal);
    this.#making = workQueue({ maxRunning: MAX_RUNNING, maxWaiting: MAX_WAITING, onLimit });
    this.#later = workQueue({ maxRunning: LATER_AT_ONCE, maxWaiting: maxPending });
  }

  get load(): QueueLoad {
    return this.#making.load;
  }

  /**
   * Makes the thumbnails of a new image after its answer. Nobody waits for it: when too many images wait, when it fails,
   * or at the end, they are made when they are asked for.
   */
  follow(media: NewMedia, client: Client | undefined): void {
    const { signal } = this.#closing;
    const { mediaId } = media;
    const make = async (): Promise<void> => {
      if (this.#unmade.has(mediaId)) await this.makeAll(media, { client, signal });
    };
    this.#unmade.add(mediaId);
    const settled = this.#later.run({ client }, () => this.inOrder(mediaId, make), signal).catch(() => {});
    this.#pending.add(settled);
    void settled.finally(() => {
      this.#unmade.delete(mediaId);
      this.#pending.delete(settled);
    });
  }

  /** Does work on the thumbnails of one media after all that came before, so that simultaneous requests share it. */
  async inOrder(mediaId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(mediaId) ?? Promise.resolve();
    // The failure of one request is not that of the next.
    const last = before.catch(() => {}).then(work);
    this.#last.set(mediaId, last);
    try {
      await last;
    } finally {
      if (this.#last.get(mediaId) === last) this.#last.delete(mediaId);
    }
  }

  /**
   * Makes and stores thumbnails of these sizes, or of all there should be; only within `inOrder`. None of media that is
   * removed meanwhile. Resolves to why it cannot be decoded, or `null`. Rejects with the storage's or the database's error,
   * 503 `overloaded` when too many images wait, or the signal's reason; what operators should see is logged.
   */
  async make(media: NewMedia, { client, signal, sizes }: MakeOptions = {}): Promise<string | null> {
    try {
      const make = () => this.#make(media, sizes ?? this.options.sizes);
      return await this.#making.run({ client }, make, signal);
    } catch (error) {
      const failure = storageError(error);
      // A full queue has been logged, and what stops with this process is made by the next.
      const isExpected = this.#closing.signal.aborted || failure.reason === 'overloaded';
      const fields = { err: error, media_id: media.mediaId, reason: failure.reason };
      this.options.logger[isExpected ? 'debug' : 'error'](fields, 'a thumbnail was not stored');
      throw failure;
    }
  }

  async #make(media: NewMedia, sizes: readonly ThumbnailSize[]): Promise<string | null> {
    const { storage, logger, maxPixels } = this.options;
    const { mediaId, sniffedType: type, width, height } = media;
    if (type === null || width === null || height === null) return 'of a type that is not decoded';
    const size = { width, height };
    const rendered = await storage.makeThumbnails(mediaId, { type, size, sizes, maxPixels });
    if (rendered === null) return null;
    if ('decodeError' in rendered) {
      logger.info({ error: rendered.decodeError, type }, 'an image cannot be decoded');
      return rendered.decodeError;
    }
    const rows = rendered.thumbnails.map(({ bytes: _bytes, ...row }) => ({ ...row, animated: false }));
    await this.#saveRows(mediaId, rows);
    return null;
  }

  /**
   * Makes all thumbnails of an image that has none yet; only within `inOrder`. One that cannot be decoded, or with which
   * the thread dies or the decoder is out of time twice, has no size from then on. Rejects as `make`, and with 503
   * `image_timeout`.
   */
  async makeAll(media: NewMedia, work?: MakeOptions): Promise<void> {
    const make = (): Promise<void> => this.#makeAll(media, work);
    // One at a time, or the one that ends the thread would take others with it again.
    await (this.#failedOnce.has(media.mediaId) ? this.inOrder(SUSPECTS, make) : make());
  }

  async #makeAll(media: NewMedia, work?: MakeOptions): Promise<void> {
    const { rows } = this.options;
    const { mediaId } = media;
    try {
      const decodeError = await this.make(media, work);
      // Perhaps there was too much else to do.
      if (decodeError !== null && TIMEOUT_ERROR.test(decodeError)) {
        const message = 'The image could not be decoded in time';
        throw unavailable('image_timeout', message, { detail: decodeError });
      }
      if (decodeError !== null) await rows.forgetSize(mediaId);
      this.#failedOnce.delete(mediaId);
      this.#unmade.delete(mediaId);
    } catch (error) {
      if (error instanceof ApiError && COUNTED.has(error.reason)) {
        if (this.#failedOnce.has(mediaId)) await rows.forgetSize(mediaId);
        this.#failedOnce.set(mediaId, true);
      }
      throw error;
    }
  }

  /** Resolves when no new image is without its thumbnails any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Leaves what has not begun to later requests; resolves when nothing is being made any more. */
  async close(): Promise<void> {
    this.#closing.abort(stopping());
    await this.settle();
  }

  /** The rows of files that are there; when they are refused, the files go again. */
  async #saveRows(mediaId: string, thumbnails: readonly ThumbnailRow[]): Promise<void> {
    const { storage, rows } = this.options;
    try {
      if (await rows.saveThumbnails(mediaId, thumbnails)) return;
      await storage.removeAll(thumbnailFolder(mediaId));
    } catch (error) {
      if (!isStoreUnavailable(error)) {
        const paths = thumbnails.map((thumbnail) => thumbnailPath(mediaId, thumbnail));
        await Promise.allSettled(paths.map((path) => storage.remove(path)));
      }
      throw error;
    }
  }
}
