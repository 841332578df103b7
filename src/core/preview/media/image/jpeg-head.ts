import type { PixelSize } from './thumbnail-sizes.js';

const START_OF_IMAGE = 0xd8;
const START_OF_SCAN = 0xda;
const APPLICATION_1 = 0xe1;
/** Frame headers; the other three of their range are tables. */
const FIRST_FRAME = 0xc0;
const LAST_FRAME = 0xcf;
const TABLES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);
const FRAME_BYTES = 9;
const MAX_SEGMENTS = 1000;

/**
 * Pixel size of a JPEG from its frame header. `null` when it has EXIF data, which may turn it, or is not entirely
 * ordinary up to its first scan: then only the decoder can say. Asking that costs half a millisecond each.
 */
export function jpegSize(bytes: Buffer): PixelSize | null {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== START_OF_IMAGE) return null;
  let size: PixelSize | null = null;
  let at = 2;
  for (let count = 0; count < MAX_SEGMENTS && at + 4 <= bytes.length; count += 1) {
    const marker = bytes[at] === 0xff ? (bytes[at + 1] ?? 0) : 0;
    if (marker === START_OF_SCAN) return size;
    const isSegment = marker >= FIRST_FRAME && marker < 0xff && !(marker >= 0xd0 && marker <= START_OF_SCAN);
    if (!isSegment || hasExif(bytes, marker, at)) return null;
    if (isFrame(marker)) {
      if (size !== null) return null;
      size = frameSize(bytes, at);
      if (size === null) return null;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function hasExif(bytes: Buffer, marker: number, at: number): boolean {
  return marker === APPLICATION_1 && bytes.toString('latin1', at + 4, at + 8) === 'Exif';
}

function isFrame(marker: number): boolean {
  return marker >= FIRST_FRAME && marker <= LAST_FRAME && !TABLES.has(marker);
}

/** A height of 0 is told later in the file, if at all. */
function frameSize(bytes: Buffer, at: number): PixelSize | null {
  if (at + FRAME_BYTES > bytes.length) return null;
  const height = bytes.readUInt16BE(at + 5);
  const width = bytes.readUInt16BE(at + 7);
  return width === 0 || height === 0 ? null : { width, height };
}
