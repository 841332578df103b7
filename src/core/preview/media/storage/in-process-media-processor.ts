import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../../base/errors/error-code.js';
import { thumbnailName } from '../media-paths.js';
import { DECODABLE_TYPES, SNIFF_BYTES, sniffImageType } from '../image/image-type.js';
import { MAX_AT_ONCE } from '../image/thumbnailer.js';
import type { Picture, ThumbnailBytes, Thumbnailer } from '../image/thumbnailer.js';
import { WorkQueue } from '../../../base/worker/work-queue.js';
import { makeNewFolder, place, removeAll, writeFlushed, writeNew } from './durable-files.js';
import type {
  KeepJob,
  KeptMedia,
  KeptThumbnail,
  MadeThumbnails,
  MediaHands,
  MediaPlaces,
  PictureWish,
  ThumbnailJob,
} from './media-jobs.js';

/** The work itself, in whatever thread it is called. */
export class OwnHands implements MediaHands {
  readonly #decoding = new WorkQueue({ maxRunning: MAX_AT_ONCE, maxWaiting: Infinity });

  constructor(private readonly thumbnailer: Thumbnailer) {}

  /** Original under a temporary name, flushed, decoded, under its final name, thumbnails. */
  async keep({ bytes: body, places, picture: wish }: KeepJob): Promise<KeptMedia> {
    const sniffedType = sniffImageType(body.subarray(0, SNIFF_BYTES));
    try {
      await writeFlushed(places.temporary, body);
      const { picture, fault, decodeMs } = await this.#decode(body, sniffedType, wish);
      await place(places.temporary, places.file);
      const thumbnails = await keepThumbnails(places, picture?.thumbnails ?? []);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const kept = picture === null ? null : { thumbnails, ...sizeOf(picture) };
      return { sizeBytes: body.length, sha256, sniffedType, picture: kept, fault, decodeMs };
    } catch (error) {
      for (const path of Object.values(places)) removeAll(path);
      throw error;
    }
  }

  async makeThumbnails({ places, type, picture: wish }: ThumbnailJob): Promise<MadeThumbnails> {
    const body = await readOrNull(places.file);
    if (body === null) return { thumbnails: [], fault: 'the file is gone' };
    const { picture, fault } = await this.#decode(body, type, wish);
    return { thumbnails: await keepThumbnails(places, picture?.thumbnails ?? []), fault };
  }

  async #decode(body: Buffer, type: string | null, wish: PictureWish | null): Promise<Decoded> {
    if (wish === null || type === null || !DECODABLE_TYPES.has(type)) return NOT_DECODED;
    return this.#decoding.run(() => this.#decodeNow(body, type, wish));
  }

  async #decodeNow(body: Buffer, type: string, wish: PictureWish): Promise<Decoded> {
    const startMs = performance.now();
    const since = (): number => performance.now() - startMs;
    try {
      const picture = await this.thumbnailer.make(body, type, wish);
      return { picture, fault: null, decodeMs: since() };
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      return { picture: null, fault, decodeMs: since() };
    }
  }
}

interface Decoded {
  picture: Picture | null;
  fault: string | null;
  decodeMs: number;
}

const NOT_DECODED: Decoded = { picture: null, fault: null, decodeMs: 0 };

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
}

function sizeOf({ width, height, blurhash }: Picture): Omit<Picture, 'thumbnails'> {
  return { width, height, blurhash };
}

/**
 * Writes thumbnails of one media. Not flushed: they can be made again, and one that a power failure cut short does
 * not have the size that its row states.
 */
async function keepThumbnails(
  places: MediaPlaces,
  thumbnails: readonly ThumbnailBytes[],
): Promise<KeptThumbnail[]> {
  if (thumbnails.length === 0) return [];
  const isFirst = await makeNewFolder(places.thumbnails);
  try {
    for (const thumbnail of thumbnails) {
      const path = join(places.thumbnails, thumbnailName(thumbnail));
      // Under their final names at once while no row leads here; else perhaps in place of one that is being read.
      await writeNew(isFirst ? path : places.temporary, thumbnail.bytes);
      if (!isFirst) renameSync(places.temporary, path);
    }
  } catch (error) {
    removeAll(isFirst ? places.thumbnails : places.temporary);
    throw error;
  }
  return thumbnails.map(({ bytes, ...key }) => ({ sizeBytes: bytes.length, ...key }));
}
