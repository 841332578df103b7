import { notFound } from '../../base/errors/api-error.js';
import { parseMediaId } from './media-id.js';
import type { ThumbnailSize } from './image/thumbnail-sizes.js';

/** Identifies a thumbnail among those of its media. */
export interface ThumbnailKey extends ThumbnailSize {
  /** image/jpeg or image/png. */
  contentType: string;
}

/** Folders of the media storage. */
export const FILE_FOLDER = 'url_cache';
export const THUMBNAIL_FOLDER = 'url_cache_thumbnails';
export const TEMPORARY_FOLDER = 'tmp';

export const isDay = (name: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(name);
const isMedia = (name: string): boolean => parseMediaId(`2000-01-01_${name}`) !== null;
const isThumbnail = (name: string): boolean => /^\d{1,9}-\d{1,9}-image-[a-z]{1,9}-(?:crop|scale)$/.test(name);

/** What may stand at each level below a folder of the storage. */
export const FILE_LEVELS = [isDay, isMedia];
export const THUMBNAIL_LEVELS = [isDay, isMedia, isThumbnail];

/** Path of a media's file. Paths are made of media ids alone: throws 404 for a text that is none. */
export function filePath(mediaId: string): string {
  return `${FILE_FOLDER}/${dayAndName(mediaId)}`;
}

/** Folder that holds all thumbnails of a media. */
export function thumbnailFolder(mediaId: string): string {
  return `${THUMBNAIL_FOLDER}/${dayAndName(mediaId)}`;
}

export function thumbnailPath(
  mediaId: string,
  { width, height, contentType, method }: Omit<ThumbnailKey, 'method'> & { method: string },
): string {
  return `${thumbnailFolder(mediaId)}/${width}-${height}-${contentType.replace('/', '-')}-${method}`;
}

/** The media id in a path of either kind. */
export function mediaIdOfPath(path: string): string {
  const [, day = '', name = ''] = path.split('/');
  return `${day}_${name}`;
}

function dayAndName(mediaId: string): string {
  const parts = parseMediaId(mediaId);
  if (parts === null) throw notFound({ reason: 'bad_media_id' });
  return `${parts.day}/${parts.letters}`;
}
