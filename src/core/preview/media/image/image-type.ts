import { refuseHiddenImages } from './avif.js';

/** Types that the decoder may see; served inline too, because they cannot carry script. */
export const DECODABLE_TYPES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** How many first bytes `sniffImageType` looks at. */
export const SNIFF_BYTES = 4096;

/** First bytes of images as Latin-1; what is not looked at are dots. */
const SIGNATURES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n.\n/s],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBPVP8/s],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  // ISO base media file: its brand, or one of those it is compatible with.
  ['image/avif', /^.{4}ftyp(?:.{4}){0,60}avi[fs]/s],
  // The size of its header is one of seven.
  ['image/bmp', /^BM.{12}[\f\x28\x34\x38\x40\x6c\x7c]\0\0\0.{8}/s],
  // A directory of icons with a plausible number of entries, and the zero of the first one.
  // oxlint-disable-next-line no-control-regex -- numbers of two bytes
  ['image/x-icon', /^\0\0\x01\0(?:[^\0]\0|\0\x01).{3}\0.{12}/s],
];

/**
 * The image type that the first bytes of a file show, whatever its label says; `null` when they show none.
 * Knows JPEG, PNG, GIF, WebP, AVIF, TIFF, BMP, ICO and SVG.
 */
export function sniffImageType(head: Buffer): string | null {
  const start = head.toString('latin1', 0, 256);
  const [type] = SIGNATURES.find(([, signature]) => signature.test(start)) ?? [];
  return type ?? (isSvg(head) ? 'image/svg+xml' : null);
}

/** Whether the first bytes are those of an image that is no markup, whatever its label says. */
export function isBitmap(bytes: Buffer): boolean {
  const type = sniffImageType(bytes.subarray(0, SNIFF_BYTES));
  return type !== null && type !== 'image/svg+xml';
}

/** Whether a file may be an image: by its first bytes or, where they tell nothing and are no text, by its label. */
export function mayBeImage(bytes: Buffer, contentType: string): boolean {
  const head = bytes.subarray(0, SNIFF_BYTES);
  return sniffImageType(head) !== null || (isImageType(contentType) && !isText(head));
}

export function isImageType(contentType: string): boolean {
  return /^image\//i.test(contentType);
}

/** Nothing at all, UTF-16 with its mark, or bytes without the controls that no text has. */
function isText(head: Buffer): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return /^(?:\xff\xfe|\xfe\xff|[^\0-\x08\x0e-\x1a\x1c-\x1f]*$)/.test(head.toString('latin1'));
}

/** What may stand before the root element: an XML declaration, comments, a document type. */
const PROLOG = /^(?:<!--[^]*?-->|<\?[^]*?\?>|<!doctype\s[^[>]*(?:\[[^\]]*\][^>]*)?>)/i;

function isSvg(head: Buffer): boolean {
  let rest = head
    .toString('utf8', 0, SNIFF_BYTES)
    .replace(/^\uFEFF/, '')
    .trimStart();
  for (let prolog = PROLOG.exec(rest); prolog !== null; prolog = PROLOG.exec(rest))
    rest = rest.slice(prolog[0].length).trimStart();
  return /^<(?:svg:)?svg[\s>/]/.test(rest);
}

/** What the decoder gets of a file: it must not open what thumbnails do not show. @throws Error for a refused AVIF. */
export function neededBytes(file: Buffer, type: string): Buffer {
  if (type === 'image/jpeg') return firstJpegScans(file);
  if (type === 'image/gif') return firstGifFrame(file);
  if (type === 'image/png') return withoutPngTexts(file);
  if (type === 'image/webp') return firstWebpFrame(file);
  if (type === 'image/avif') refuseHiddenImages(file);
  return file;
}

/** Some formats are decoded whole, at 17 bytes a pixel. */
const LARGE_PIXELS = 4_000_000;
/** In a lossless WebP, or its transparency, each 16 pixels may have codes of their own, which take 6 to 12 kB. */
const LARGE_LOSSLESS_PIXELS = 250_000;

/** Whether an image may take so much memory that one of them is in the decoder at a time. */
export function isLarge(bytes: Buffer, { type, pixels }: { type: string; pixels: number }): boolean {
  const isLossless = type === 'image/webp' && ['VP8L', 'ALPH'].some((name) => bytes.includes(name));
  return pixels > (isLossless ? LARGE_LOSSLESS_PIXELS : LARGE_PIXELS);
}

/** Whether an image may have a colour profile by what stands before it in JPEG, PNG, WebP and AVIF. */
export function mayHaveProfile(bytes: Buffer): boolean {
  return ['ICC_PROFILE', 'iCCP', 'ICCP', 'colr'].some((name) => bytes.includes(name));
}

/** Three times as many as any common encoder makes of a progressive image. */
const MAX_SCANS = 32;
const MARK = 0xff;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/**
 * The JPEG up to its 32nd scan, which shows all of the image. Of a progressive one the decoder goes through all blocks
 * for each scan, before the first pixel and not to be stopped: 40 bytes of a scan take it 3 ms where there are 32
 * million pixels. The same bytes when there are no more.
 */
export function firstJpegScans(bytes: Buffer): Buffer {
  let scans = 0;
  for (let at = nextMarker(bytes, 2); ; at = nextMarker(bytes, at)) {
    const marker = bytes[at + 1];
    if (marker === undefined || marker === END_OF_IMAGE) return bytes;
    if (marker === START_OF_SCAN) scans += 1;
    if (scans > MAX_SCANS) return bytes.subarray(0, at);
    at += hasSegment(marker) && at + 4 <= bytes.length ? 2 + bytes.readUInt16BE(at + 2) : 2;
  }
}

/** Where the next marker is: no escape in the data of a scan and no filling; the end when there is none. */
function nextMarker(bytes: Buffer, from: number): number {
  for (let at = from; ;) {
    if (bytes[at] !== MARK) at = bytes.indexOf(MARK, at);
    if (at === -1) return bytes.length;
    const next = bytes[at + 1];
    if (next !== 0 && next !== MARK) return at;
    at += next === 0 ? 2 : 1;
  }
}

/** As the decoder has it: what stands behind other markers it reads, or gives up there. */
function hasSegment(marker: number): boolean {
  return (marker >= 0xc0 && marker <= 0xcf) || (marker >= START_OF_SCAN && marker <= 0xef) || marker === 0xfe;
}

const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
const GIF_TRAILER = Buffer.from([0x3b]);

/**
 * The GIF up to its first frame: opening an animation takes the decoder time for each frame, and 20 kB of gzip may hold
 * 700,000 of them. The same bytes when there is no whole frame.
 */
function firstGifFrame(bytes: Buffer): Buffer {
  let at = 13 + gifTableBytes(bytes[10] ?? 0);
  while (bytes[at] === GIF_EXTENSION) at = endOfGifBlocks(bytes, at + 2);
  if (bytes[at] !== GIF_IMAGE) return bytes;
  // Behind its head of ten bytes and its table one byte tells the size of codes.
  const end = endOfGifBlocks(bytes, at + 10 + gifTableBytes(bytes[at + 9] ?? 0) + 1);
  return end + 1 >= bytes.length ? bytes : Buffer.concat([bytes.subarray(0, end), GIF_TRAILER]);
}

/** Of a table of colours by the flags that announce it. */
function gifTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Data comes in blocks that state their size, the last one 0. */
function endOfGifBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let size = bytes[at]; size !== undefined && size > 0; size = bytes[at]) at += 1 + size;
  return at + 1;
}

const PNG_SIGNATURE_BYTES = 8;
/** Of texts, and of profiles: enough for any sensible one; a decoder inflates more than a thousand times as much. */
const MAX_PNG_EXTRA_BYTES = 16 * 1024;
// A chunk's type as the number its four letters are: a file may have a million chunks.
const [PNG_LAST, PNG_PROFILE, ...PNG_TEXTS] = ['IEND', 'iCCP', 'zTXt', 'iTXt', 'tEXt'].map((type) =>
  Buffer.from(type, 'latin1').readUInt32BE(),
);

/**
 * The PNG without its texts, and without its colour profile, when they are suspiciously large: a few kB of them
 * inflate to gigabytes before a decoder has seen one pixel. The same bytes when they are fine as they are.
 */
function withoutPngTexts(bytes: Buffer): Buffer {
  let [textBytes, profileBytes] = [0, 0];
  for (const { code, start, end } of pngChunks(bytes)) {
    if (PNG_TEXTS.includes(code)) textBytes += end - start;
    if (code === PNG_PROFILE) profileBytes += end - start;
  }
  const unwanted = [
    ...(textBytes > MAX_PNG_EXTRA_BYTES ? PNG_TEXTS : []),
    ...(profileBytes > MAX_PNG_EXTRA_BYTES ? [PNG_PROFILE] : []),
  ];
  if (unwanted.length === 0) return bytes;
  const left = Buffer.allocUnsafe(bytes.length);
  let length = bytes.copy(left, 0, 0, PNG_SIGNATURE_BYTES);
  for (const { code, start, end } of pngChunks(bytes))
    if (!unwanted.includes(code)) length += bytes.copy(left, length, start, end);
  return left.subarray(0, length);
}

/** The chunks up to the last one, each with length, type and checksum around its data. */
function* pngChunks(bytes: Buffer): Generator<{ code: number; start: number; end: number }> {
  for (let start = PNG_SIGNATURE_BYTES, end = 0; start + 12 <= bytes.length; start = end) {
    const code = bytes.readUInt32BE(start + 4);
    end = Math.min(bytes.length, start + 12 + bytes.readUInt32BE(start));
    yield { code, start, end };
    if (code === PNG_LAST) return;
  }
}

const WEBP_FRAME = Buffer.from('ANMF').readUInt32LE();
/** Holds the orientation, and comes behind all frames (RFC 9649 §2.7). */
const WEBP_EXIF = Buffer.from('EXIF').readUInt32LE();

/**
 * The WebP without further frames than its first: the decoder's time to open an animation grows with the square of its
 * frames, to a minute for 10 MB of them. The same bytes when there is one image.
 */
function firstWebpFrame(bytes: Buffer): Buffer {
  let frames = 0;
  let end = bytes.length;
  let exif: Buffer = Buffer.alloc(0);
  for (let start = 12, next = 0; start + 8 <= bytes.length && exif.length === 0; start = next) {
    const name = bytes.readUInt32LE(start);
    const sizeBytes = bytes.readUInt32LE(start + 4);
    next = start + 8 + sizeBytes + (sizeBytes % 2);
    if (name === WEBP_FRAME) frames += 1;
    if (frames === 2) end = Math.min(end, start);
    if (frames > 1 && name === WEBP_EXIF) exif = bytes.subarray(start, next);
  }
  if (frames < 2) return bytes;
  const still = Buffer.concat([bytes.subarray(0, end), exif]);
  still.writeUInt32LE(still.length - 8, 4);
  return still;
}
