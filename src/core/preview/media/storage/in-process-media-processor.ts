import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../../base/errors/error-code.js';
import { thumbnailName } from '../media-paths.js';
import { SNIFF_BYTES, sniffImageType } from '../image/image-type.js';
import type { Thumbnailer } from '../image/thumbnailer.js';
import { makeUnflushedFolder, moveDurably, removeAll, writeFlushed, writeNew } from './durable-files.js';
import type {
  KeepJob,
  KeptMedia,
  KeptThumbnail,
  MadeThumbnails,
  MediaInspector,
  MediaProcessor,
  MediaPaths,
  OnDecoded,
  RenderedImage,
  ThumbnailBytes,
  ThumbnailJob,
} from './media-jobs.js';

/** The work itself, in whatever thread it is called; files are on disk. */
export class InProcessMediaProcessor implements MediaProcessor, MediaInspector {
  constructor(private readonly thumbnailer: Thumbnailer) {}

  /** Under a temporary name, flushed, then under its final name. */
  async keep({ paths, ...job }: KeepJob): Promise<KeptMedia> {
    try {
      await writeFlushed(paths.temporary, job.bytes);
      await moveDurably(paths.temporary, paths.file);
      return await this.inspect(job);
    } catch (error) {
      for (const path of [paths.temporary, paths.file]) removeAll(path);
      throw error;
    }
  }

  async inspect({ bytes, maxPixels }: Omit<KeepJob, 'paths'>): Promise<KeptMedia> {
    const sniffedType = sniffImageType(bytes.subarray(0, SNIFF_BYTES));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const size = maxPixels === null ? null : await this.thumbnailer.sizeByHead(bytes, sniffedType, maxPixels);
    return { sizeBytes: bytes.length, sha256, sniffedType, size };
  }

  async makeThumbnails({ paths, ...job }: ThumbnailJob, onDecoded?: OnDecoded): Promise<MadeThumbnails> {
    const bytes = await readOrNull(paths.file);
    if (bytes === null) return { image: null, decodeError: null, decodeMs: 0 };
    const { image, ...decoded } = await this.render(bytes, job, onDecoded);
    if (image === null) return { image, ...decoded };
    const { thumbnails, ...about } = image;
    return { image: { ...about, thumbnails: await keepThumbnails(paths, thumbnails) }, ...decoded };
  }

  async render(
    bytes: Buffer,
    { type, image: options }: Omit<ThumbnailJob, 'paths'>,
    onDecoded?: OnDecoded,
  ): Promise<RenderedImage> {
    const startMs = performance.now();
    try {
      const { decodeMs, ...image } = await this.thumbnailer.make(bytes, type, { onDecoded, ...options });
      return { image, decodeError: null, decodeMs };
    } catch (error) {
      const decodeError = error instanceof Error ? error.message : String(error);
      return { image: null, decodeError, decodeMs: performance.now() - startMs };
    }
  }
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
