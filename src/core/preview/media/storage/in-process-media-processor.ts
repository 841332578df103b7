import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../../base/errors/error-code.js';
import { thumbnailName } from '../media-paths.js';
import { DECODABLE_TYPES, SNIFF_BYTES, sniffImageType } from '../image/image-type.js';
import type { Image, ThumbnailBytes, Thumbnailer } from '../image/thumbnailer.js';
import { makeNewFolder, moveDurably, removeAll, writeFlushed, writeNew } from './durable-files.js';
import type {
  KeepJob,
  KeptMedia,
  KeptThumbnail,
  MadeThumbnails,
  MediaProcessor,
  MediaPaths,
  ImageOptions,
  ThumbnailJob,
} from './media-jobs.js';

/** The work itself, in whatever thread it is called. */
export class InProcessMediaProcessor implements MediaProcessor {
  constructor(private readonly thumbnailer: Thumbnailer) {}

  /** Original under a temporary name, flushed, decoded, under its final name, thumbnails. */
  async keep({ bytes: body, paths, image: options }: KeepJob): Promise<KeptMedia> {
    const sniffedType = sniffImageType(body.subarray(0, SNIFF_BYTES));
    try {
      await writeFlushed(paths.temporary, body);
      const { image, decodeError, decodeMs } = await this.#decode(body, sniffedType, options);
      await moveDurably(paths.temporary, paths.file);
      const thumbnails = await keepThumbnails(paths, image?.thumbnails ?? []);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const kept = image === null ? null : { thumbnails, ...sizeOf(image) };
      return { sizeBytes: body.length, sha256, sniffedType, image: kept, decodeError, decodeMs };
    } catch (error) {
      for (const path of Object.values(paths)) removeAll(path);
      throw error;
    }
  }

  async makeThumbnails({ paths, type, image: options }: ThumbnailJob): Promise<MadeThumbnails> {
    const body = await readOrNull(paths.file);
    if (body === null) return { thumbnails: [], decodeError: 'the file is gone' };
    const { image, decodeError } = await this.#decode(body, type, options);
    return { thumbnails: await keepThumbnails(paths, image?.thumbnails ?? []), decodeError };
  }

  async #decode(body: Buffer, type: string | null, options: ImageOptions | null): Promise<Decoded> {
    if (options === null || type === null || !DECODABLE_TYPES.has(type)) return NOT_DECODED;
    const startMs = performance.now();
    try {
      const image = await this.thumbnailer.make(body, type, options);
      return { image, decodeError: null, decodeMs: image.decodeMs };
    } catch (error) {
      const decodeError = error instanceof Error ? error.message : String(error);
      return { image: null, decodeError, decodeMs: performance.now() - startMs };
    }
  }
}

interface Decoded {
  image: Image | null;
  decodeError: string | null;
  decodeMs: number;
}

const NOT_DECODED: Decoded = { image: null, decodeError: null, decodeMs: 0 };

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
}

function sizeOf({ width, height, blurhash }: Image): Omit<Image, 'thumbnails' | 'decodeMs'> {
  return { width, height, blurhash };
}

/**
 * Writes thumbnails of one media. Not flushed: they can be made again, and one that a power failure cut short does
 * not have the size that its row states.
 */
async function keepThumbnails(
  paths: MediaPaths,
  thumbnails: readonly ThumbnailBytes[],
): Promise<KeptThumbnail[]> {
  if (thumbnails.length === 0) return [];
  const isFirst = await makeNewFolder(paths.thumbnails);
  try {
    for (const thumbnail of thumbnails) {
      const path = join(paths.thumbnails, thumbnailName(thumbnail));
      // Under their final names at once while no row leads here; else perhaps in place of one that is being read.
      await writeNew(isFirst ? path : paths.temporary, thumbnail.bytes);
      if (!isFirst) renameSync(paths.temporary, path);
    }
  } catch (error) {
    removeAll(isFirst ? paths.thumbnails : paths.temporary);
    throw error;
  }
  return thumbnails.map(({ bytes, ...key }) => ({ sizeBytes: bytes.length, ...key }));
}
