import { randomInt } from 'node:crypto';

import { notFound } from '../../base/errors/api-error.js';

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

type StoredKey = Omit<ThumbnailKey, 'method'> & { method: string };

export function thumbnailPath(mediaId: string, key: StoredKey): string {
  const { width, height, contentType, method } = key;
  return `${thumbnailFolder(mediaId)}/${width}-${height}-${contentType.replace('/', '-')}-${method}`;
}

export function idsOf(media: readonly { mediaId: string }[]): string[] {
  return media.map(({ mediaId }) => mediaId);
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

/** How an image meets a box: `crop` fills it and cuts what sticks out, `scale` fits into it. */
export const THUMBNAIL_METHODS = ['crop', 'scale'] as const;
type ThumbnailMethod = (typeof THUMBNAIL_METHODS)[number];

export interface PixelSize {
  width: number;
  height: number;
}

export interface ThumbnailSize extends PixelSize {
  method: ThumbnailMethod;
}

const LARGEST_BOX: PixelSize = { width: 1434, height: 600 };
/** Boxes that thumbnails on demand are rounded up to; what real clients ask for, at 1, 1.5, 2 and 3 dots a pixel. */
const DEMAND_BOXES: readonly PixelSize[] = [
  { width: 96, height: 96 },
  { width: 128, height: 128 },
  { width: 256, height: 256 },
  { width: 320, height: 240 },
  { width: 478, height: 200 },
  { width: 640, height: 480 },
  { width: 956, height: 400 },
  LARGEST_BOX,
];

/** What a box makes of an image; never larger than the image itself. */
export function thumbnailPixels(image: PixelSize, size: ThumbnailSize): PixelSize {
  if (size.method === 'crop') {
    return { width: Math.min(size.width, image.width), height: Math.min(size.height, image.height) };
  }
  return scaledBy(shrinkFactor(image, size), image);
}

export function scaledBy(factor: number, { width, height }: PixelSize): PixelSize {
  const scaled = (side: number): number => Math.max(1, Math.round(side * factor));
  return { width: scaled(width), height: scaled(height) };
}

/** By how much the image shrinks for a box, at most 1; for `crop` until the nearer pair of edges touches. */
export function shrinkFactor(image: PixelSize, size: ThumbnailSize): number {
  const horizontal = size.width / image.width;
  const vertical = size.height / image.height;
  return Math.min(
    1,
    size.method === 'crop' ? Math.max(horizontal, vertical) : Math.min(horizontal, vertical),
  );
}

/** The thumbnails to make of an image: boxes that come to the same result are one. */
export function planThumbnails(image: PixelSize, sizes: readonly ThumbnailSize[]): ThumbnailSize[] {
  const planned = new Map<string, ThumbnailSize>();
  for (const size of sizes) {
    const { width, height } = thumbnailPixels(image, size);
    planned.set(`${width}x${height}-${size.method}`, { width, height, method: size.method });
  }
  return [...planned.values()];
}

/**
 * The thumbnail to answer a request with: the smallest at least as large as the exact answer would be, of the
 * asked method if there is one; else the largest, which a client that wants all of an image takes uncropped.
 * `null` when there is none at all.
 */
export function pickThumbnail<T extends ThumbnailSize>(
  thumbnails: readonly T[],
  image: PixelSize,
  wanted: ThumbnailSize,
): T | null {
  const exact = thumbnailPixels(image, wanted);
  const bySize = thumbnails.toSorted((a, b) => a.width * a.height - b.width * b.height);
  const same = bySize.filter((thumbnail) => thumbnail.method === wanted.method);
  const enough = (thumbnail: T): boolean =>
    thumbnail.width >= exact.width && thumbnail.height >= exact.height;
  if (wanted.method === 'scale') return same.find(enough) ?? same.at(-1) ?? bySize.at(-1) ?? null;
  return same.find(enough) ?? bySize.find(enough) ?? bySize.at(-1) ?? null;
}

/** The box of the small set that serves a request for a thumbnail on demand; the largest for larger ones. */
export function demandSize(wanted: ThumbnailSize): ThumbnailSize {
  const isUpright = wanted.height > wanted.width;
  const [longer, shorter] = isUpright ? [wanted.height, wanted.width] : [wanted.width, wanted.height];
  const box = DEMAND_BOXES.find(({ width, height }) => width >= longer && height >= shorter) ?? LARGEST_BOX;
  const { width, height } = isUpright ? { width: box.height, height: box.width } : box;
  return { width, height, method: wanted.method };
}
