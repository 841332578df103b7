import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../../base/errors/error-code.js';
import { thumbnailName } from '../media-paths.js';
import { SNIFF_BYTES, sniffImageType } from '../image/image-type.js';
import type { Image, ThumbnailBytes, Thumbnailer } from '../image/thumbnailer.js';
import { makeUnflushedFolder, moveDurably, removeAll, writeFlushed, writeNew } from './durable-files.js';
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

  /** Under a temporary name, flushed, then under its final name. */
  async keep({ bytes: body, paths, maxPixels }: KeepJob): Promise<KeptMedia> {
    const sniffedType = sniffImageType(body.subarray(0, SNIFF_BYTES));
    try {
      await writeFlushed(paths.temporary, body);
      await moveDurably(paths.temporary, paths.file);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const size =
        maxPixels === null ? null : await this.thumbnailer.sizeByHead(body, sniffedType, maxPixels);
      return { sizeBytes: body.length, sha256, sniffedType, size };
    } catch (error) {
      for (const path of [paths.temporary, paths.file]) removeAll(path);
      throw error;
    }
  }

  async makeThumbnails({ paths, type, image: options }: ThumbnailJob): Promise<MadeThumbnails> {
    const body = await readOrNull(paths.file);
    if (body === null) return { image: null, decodeError: null, decodeMs: 0 };
    const { image, ...decoded } = await this.#decode(body, type, options);
    if (image === null) return { image, ...decoded };
    const { width, height, blurhash } = image;
    const thumbnails = await keepThumbnails(paths, image.thumbnails);
    return { image: { width, height, blurhash, thumbnails }, ...decoded };
  }

  async #decode(body: Buffer, type: string, options: ImageOptions): Promise<Decoded> {
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

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
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
  await makeUnflushedFolder(paths.thumbnails);
  try {
    for (const thumbnail of thumbnails) {
      await writeNew(paths.temporary, thumbnail.bytes);
      // Perhaps in place of one that is being read, or that another process has just made.
      renameSync(paths.temporary, join(paths.thumbnails, thumbnailName(thumbnail)));
    }
  } catch (error) {
    removeAll(paths.temporary);
    throw error;
  }
  return thumbnails.map(({ bytes, ...key }) => ({ sizeBytes: bytes.length, ...key }));
}
