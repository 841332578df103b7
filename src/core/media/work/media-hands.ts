import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { thumbnailName } from '../media-paths.js';
import { DECODABLE_TYPES, SNIFF_BYTES, sniffImageType } from '../picture/image-type.js';
import type { Picture, ThumbnailBytes, Thumbnailer } from '../picture/thumbnailer.js';
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
  constructor(private readonly thumbnailer: Thumbnailer) {}

  /** Original under a temporary name, flushed, decoded, under its final name, thumbnails. */
  async keep({ bytes: body, places, picture: wish }: KeepJob): Promise<KeptMedia> {
    const sniffedType = sniffImageType(body.subarray(0, SNIFF_BYTES));
    try {
      await writeFlushed(places.temporary, body);
      const { picture, fault } = await this.#decode(body, sniffedType, wish);
      await place(places.temporary, places.file);
      const thumbnails = await keepThumbnails(places, picture?.thumbnails ?? []);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const kept = picture === null ? null : { ...sizeOf(picture), thumbnails };
      return { sizeBytes: body.length, sha256, sniffedType, picture: kept, fault };
    } catch (error) {
      for (const path of Object.values(places)) removeAll(path);
      throw error;
    }
  }

  async makeThumbnails({ places, type, picture: wish }: ThumbnailJob): Promise<MadeThumbnails> {
    const body = await readFile(places.file);
    const { picture, fault } = await this.#decode(body, type, wish);
    return { thumbnails: await keepThumbnails(places, picture?.thumbnails ?? []), fault };
  }

  async #decode(
    body: Buffer,
    type: string | null,
    wish: PictureWish | null,
  ): Promise<{ picture: Picture | null; fault: string | null }> {
    if (wish === null || type === null || !DECODABLE_TYPES.has(type)) return { picture: null, fault: null };
    try {
      return { picture: await this.thumbnailer.make(body, type, wish), fault: null };
    } catch (error) {
      return { picture: null, fault: error instanceof Error ? error.message : String(error) };
    }
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
  return thumbnails.map(({ bytes, ...key }) => ({ ...key, sizeBytes: bytes.length }));
}
