import { join } from 'node:path';

import { notFound } from '../../base/errors/api-error.js';
import { parseMediaId } from './media-id.js';
import type { ThumbnailSize } from './image/thumbnail-sizes.js';

/** A thumbnail's place among those of its media. */
export interface ThumbnailKey extends ThumbnailSize {
  /** image/jpeg or image/png. */
  contentType: string;
}

/** The same as its row has it: another version of this program may know more methods. */
export type StoredThumbnailKey = Omit<ThumbnailKey, 'method'> & { method: string };

/** Folders below `media_store_path`. */
export const FILE_FOLDER = 'url_cache';
export const THUMBNAIL_FOLDER = 'url_cache_thumbnails';
export const TEMPORARY_FOLDER = 'tmp';

/** Folder of a media's file and the file's name in it; throws for a text that is no media id. */
export function filePathParts(mediaId: string): { folder: string; name: string } {
  const { day, letters } = partsOf(mediaId);
  return { folder: join(FILE_FOLDER, day), name: letters };
}

/** Folder that holds all thumbnails of a media; throws for a text that is no media id. */
export function thumbnailFolder(mediaId: string): string {
  const { day, letters } = partsOf(mediaId);
  return join(THUMBNAIL_FOLDER, day, letters);
}

/** File name of a thumbnail in its folder. */
export function thumbnailName({ width, height, contentType, method }: StoredThumbnailKey): string {
  return `${width}-${height}-${contentType.replace('/', '-')}-${method}`;
}

const THUMBNAIL_NAME = /^\d{1,9}-\d{1,9}-image-[a-z]{1,9}-(?:crop|scale)$/;

/** Whether `thumbnailName` gives such names. */
export function isThumbnailName(name: string): boolean {
  return THUMBNAIL_NAME.test(name);
}

/** The media id of a file found in a folder named for a day; `null` when the two make none. */
export function mediaIdOfPath(day: string, name: string): string | null {
  const mediaId = `${day}_${name}`;
  return parseMediaId(mediaId) === null ? null : mediaId;
}

function partsOf(mediaId: string): { day: string; letters: string } {
  const parts = parseMediaId(mediaId);
  if (parts === null) throw notFound({ reason: 'bad_media_id' });
  return parts;
}
