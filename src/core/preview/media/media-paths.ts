import { randomInt } from 'node:crypto';

import { notFound } from '../../base/errors/api-error.js';
import type { ThumbnailSize } from './image/thumbnail-sizes.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LETTERS = 16;
const DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const GRAMMAR = new RegExp(`^(${DAY})_([A-Za-z]{${RANDOM_LETTERS}})$`);

/** A media id as a regular expression that PCRE, RE2 and ours read alike, for proxies to tell our media by. */
export const MEDIA_ID_PATTERN = `${DAY}_[A-Za-z]{${RANDOM_LETTERS}}`;

/** One that no media has, to ask with where nothing is wanted. */
export const UNUSED_MEDIA_ID = `1970-01-01_${'A'.repeat(RANDOM_LETTERS)}`;

/** A new media id (SPEC §2.5): the UTC date in ISO 8601 form, an underscore and 16 random ASCII letters. */
export function newMediaId(nowTs: number): string {
  let letters = '';
  for (let count = 0; count < RANDOM_LETTERS; count += 1)
    letters += LETTERS.charAt(randomInt(LETTERS.length));
  return `${new Date(nowTs).toISOString().slice(0, 10)}_${letters}`;
}

/** The two parts of a media id, or `null` for any text that is none: only these parts ever reach a path. */
export function parseMediaId(text: string): { day: string; letters: string } | null {
  const [, day, letters] = GRAMMAR.exec(text) ?? [];
  return day === undefined || letters === undefined ? null : { day, letters };
}

/** `<media_scheme>://<server_name>/<media_id>`, the value of `og:image` (SPEC §2.3). */
export function contentUri(scheme: string, serverName: string, mediaId: string): string {
  return `${scheme}://${serverName}/${mediaId}`;
}

/** Identifies a thumbnail among those of its media. */
export interface ThumbnailKey extends ThumbnailSize {
  contentType: string;
}

/** Folders of the media storage. */
export const FILE_FOLDER = 'url_cache';
export const THUMBNAIL_FOLDER = 'url_cache_thumbnails';
export const TEMPORARY_FOLDER = 'tmp';

const isDay = (name: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(name);
const isMedia = (name: string): boolean => parseMediaId(`2000-01-01_${name}`) !== null;
const isThumbnail = (name: string): boolean => /^\d{1,9}-\d{1,9}-image-[a-z]{1,9}-(?:crop|scale)$/.test(name);

/** What may stand at each level below a folder of the storage. */
export const FILE_LEVELS = [isDay, isMedia];
export const THUMBNAIL_LEVELS = [isDay, isMedia, isThumbnail];

/** Path of a media's file. Paths are made of media ids alone: throws 404 for a text that is none. */
export function filePath(mediaId: string): string {
  return `${FILE_FOLDER}/${dayAndName(mediaId)}`;
}

export function thumbnailFolder(mediaId: string): string {
  return `${THUMBNAIL_FOLDER}/${dayAndName(mediaId)}`;
}

export function thumbnailPath(
  mediaId: string,
  { width, height, contentType, method }: Omit<ThumbnailKey, 'method'> & { method: string },
): string {
  return `${thumbnailFolder(mediaId)}/${width}-${height}-${contentType.replace('/', '-')}-${method}`;
}

export function mediaIdOfPath(path: string): string {
  const [, day = '', name = ''] = path.split('/');
  return `${day}_${name}`;
}

function dayAndName(mediaId: string): string {
  const parts = parseMediaId(mediaId);
  if (parts === null) throw notFound({ reason: 'bad_media_id' });
  return `${parts.day}/${parts.letters}`;
}
