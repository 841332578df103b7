import { setMaxListeners } from 'node:events';

import { ApiError, imageTimeout, stopping } from '../../base/errors/api-error.js';
import type { Client } from '../../base/client.js';
import type { Logger } from '../../base/logger.js';
import { entryCache } from '../../base/runtime/entry-cache.js';
import type { FairQueue } from '../../base/fair-queue.js';
import { workQueue } from '../../base/worker/work-queue.js';
import { isStoreUnavailable } from '../../store/store-errors.js';
import { DECODABLE_TYPES } from './image/image-type.js';
import { TIMEOUT_ERROR } from './image/thumbnailer.js';
import type { ThumbnailSize } from './image/thumbnail-sizes.js';
import type { MediaFiles } from './media-files.js';
import type { MediaRow, MediaRowStore, ThumbnailRow } from './media-row-store.js';
import { storageError } from './storage-error.js';
import type { KeptThumbnail, MadeThumbnails } from './storage/media-jobs.js';
import type { MediaWork, WorkFor } from './storage/media-work.js';

/** What it is built from. */
export interface ThumbnailMakingOptions {
  files: MediaFiles;
  rows: MediaRowStore;
  work: MediaWork;
  logger: Logger;
  /** Setting previews.max_pending_thumbnails. */
  maxPending: number;
}

/** Thumbnails that are being made of a new image. */
export interface ThumbnailsUnderWay {
  made: Promise<MadeThumbnails>;
  /** Ends the protection of their files. */
  end: () => void;
}

/** Failures that may be another's doing, once. */
const COUNTED: ReadonlySet<string | null> = new Set(['worker_died', 'image_timeout']);
const MAX_REMEMBERED = 10_000;
const LATER_AT_ONCE = 2;
/** The turn of all images that have failed so. */
const SUSPECTS = '';

/** Makes thumbnails of stored images, for one image one after the other: right behind an answer, or when asked for. */
export class ThumbnailMaking {
  /** The last of those whose turn it is, by media id. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Those of new images. */
  readonly #pending = new Set<Promise<void>>();
  /** Those of them that have not begun; few run at once, so that answers find a free slot at the decoder. */
  readonly #later: FairQueue;
  /** Those that have failed once in such a way, by media id. */
  readonly #failedOnce = entryCache<true>(MAX_REMEMBERED);
  readonly #closing = new AbortController();

  constructor(private readonly options: ThumbnailMakingOptions) {
    // All that wait listen to it, and their number is bounded.
    setMaxListeners(0, this.#closing.signal);
    this.#later = workQueue({ maxRunning: LATER_AT_ONCE, maxWaiting: options.maxPending });
  }

  /**
   * Makes the thumbnails of a new image after its answer, or stores those that have been `begun`. Nobody waits for it:
   * when too many images wait, when it fails, or at the end, they are made when they are asked for.
   */
  follow(media: MediaRow, client: Client | undefined, begun?: ThumbnailsUnderWay): void {
    const whose = { client, signal: this.#closing.signal };
    const made =
      begun === undefined
        ? this.#later.run({ client }, () => this.#makeUnasked(media, whose), whose.signal)
        : this.inTurn(media.mediaId, () => this.#makeFirst(media, () => this.#keep(media, begun)));
    const settled = made.catch(() => {});
    this.#pending.add(settled);
    void settled.finally(() => this.#pending.delete(settled));
  }

  /** Somebody may have asked for them meanwhile. */
  #makeUnasked(media: MediaRow, whose: WorkFor): Promise<void> {
    const { mediaId } = media;
    return this.inTurn(mediaId, async () => {
      if ((await this.options.rows.listThumbnails(mediaId)).length > 0) return;
      await this.#makeFirst(media, () => this.make(media, undefined, whose));
    });
  }

  /** Does work on the thumbnails of one media after that of all who came before: simultaneous clients wait for one making. */
  async inTurn(mediaId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(mediaId) ?? Promise.resolve();
    // The failure of one is that of its client alone.
    const turn = before.catch(() => {}).then(work);
    this.#turns.set(mediaId, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(mediaId) === turn) this.#turns.delete(mediaId);
    }
  }

  /**
   * Makes thumbnails of these sizes, or of all there should be; only within a turn. None of media that is removed
   * meanwhile. Resolves to why it cannot be decoded, or `null`. Rejects with 500 of the disk, 503 `overloaded`, the error of the
   * database, or the signal's reason; what operators should see is logged.
   */
  async make(media: MediaRow, sizes?: readonly ThumbnailSize[], whose?: WorkFor): Promise<string | null> {
    const { files, work } = this.options;
    const { mediaId, sniffedType: type, width, height } = media;
    if (type === null || !DECODABLE_TYPES.has(type)) return 'of no type that is decoded';
    const size = width === null || height === null ? null : { width, height };
    const { paths, end } = files.begin(mediaId);
    return this.#keep(media, { made: work.makeThumbnails({ paths, type, size }, sizes, whose), end });
  }

  async #keep({ mediaId }: MediaRow, { made, end }: ThumbnailsUnderWay): Promise<string | null> {
    try {
      const { image, decodeError } = await made;
      if (image !== null) await this.#saveRows(mediaId, image.thumbnails);
      return decodeError;
    } catch (error) {
      throw this.#failed(error, mediaId);
    } finally {
      end();
    }
  }

  /**
   * Makes the thumbnails of an image that has none yet, for somebody who asks for one; only within a turn. One that cannot
   * be decoded, or with which the thread dies or the decoder is out of time twice, has no size from then on. Rejects as
   * `make`, and with 503 `image_timeout`.
   */
  async makeAsked(media: MediaRow): Promise<void> {
    const make = (): Promise<void> => this.#makeFirst(media, () => this.make(media));
    // One at a time, or the one that ends the thread would take others with it again.
    await (this.#failedOnce.has(media.mediaId) ? this.inTurn(SUSPECTS, make) : make());
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

  /** What was said of its size is no longer told of an image that cannot be decoded. */
  async #makeFirst({ mediaId }: MediaRow, make: () => Promise<string | null>): Promise<void> {
    const { rows } = this.options;
    try {
      const decodeError = await make();
      if (decodeError !== null) {
        if (TIMEOUT_ERROR.test(decodeError)) throw imageTimeout(decodeError);
        await rows.forgetSize(mediaId);
      }
      this.#failedOnce.delete(mediaId);
    } catch (error) {
      if (error instanceof ApiError && COUNTED.has(error.reason)) {
        if (this.#failedOnce.has(mediaId)) await rows.forgetSize(mediaId);
        this.#failedOnce.set(mediaId, true);
      }
      throw error;
    }
  }

  /** The rows of files that are there; when they are refused, the files go again. */
  async #saveRows(mediaId: string, thumbnails: readonly KeptThumbnail[]): Promise<void> {
    const { files, rows } = this.options;
    try {
      if (await rows.saveThumbnails(mediaId, thumbnails.map(thumbnailRow))) return;
      await files.removeThumbnails(mediaId);
    } catch (error) {
      if (!isStoreUnavailable(error)) {
        const paths = thumbnails.map((thumbnail) => files.thumbnailPath(mediaId, thumbnail));
        await Promise.allSettled(paths.map((path) => files.removePath(path)));
      }
      throw error;
    }
  }

  #failed(error: unknown, mediaId: string): Error {
    const failure = storageError(error);
    // Of a full queue its bound has told, and what stops with this process is made by the next.
    const isExpected = this.#closing.signal.aborted || failure.reason === 'overloaded';
    const fields = { err: error, media_id: mediaId, reason: failure.reason };
    this.options.logger[isExpected ? 'debug' : 'error'](fields, 'a thumbnail was not stored');
    return failure;
  }
}

/** The row of a thumbnail that has just been made. */
export function thumbnailRow(thumbnail: KeptThumbnail): ThumbnailRow {
  return { animated: false, ...thumbnail };
}
