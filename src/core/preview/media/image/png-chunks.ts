const SIGNATURE_BYTES = 8;
/** Length, type and checksum around a chunk's data. */
const CHUNK_FRAME_BYTES = 12;
/** Of each kind: enough for any sensible colour profile; a decoder inflates more than a thousand times as much. */
const MAX_COMPRESSED_BYTES = 16 * 1024;
/** Chunks that a decoder reads, and mostly inflates, although the image does not need them. */
const TEXTS: ReadonlySet<number> = new Set(['zTXt', 'iTXt', 'tEXt'].map(codeOf));
const PROFILES: ReadonlySet<number> = new Set([codeOf('iCCP')]);
const LAST = codeOf('IEND');

/** Where the first chunk, the header, says how the pixels are ordered. */
const INTERLACE_BYTE = 28;

/** Whether pixels come in several passes, or nobody knows in which order: damage to them spoils all of such a PNG. */
export function isInterlacedPng(bytes: Buffer): boolean {
  return bytes[INTERLACE_BYTE] !== 0;
}

/**
 * The PNG without its texts, and without its colour profile, when they are suspiciously large: a few kB of them
 * inflate to gigabytes before a decoder has seen one pixel. The same bytes when they are fine as they are. Image
 * editors write texts of any length beside a profile that the colours need.
 */
export function withoutPngTexts(bytes: Buffer): Buffer {
  const tooLarge = [TEXTS, PROFILES].filter((kind) => bytesOf(bytes, kind) > MAX_COMPRESSED_BYTES);
  return tooLarge.length > 0 ? without(bytes, tooLarge) : bytes;
}

function bytesOf(bytes: Buffer, kind: ReadonlySet<number>): number {
  let total = 0;
  for (const { code, start, end } of chunksOf(bytes)) if (kind.has(code)) total += end - start;
  return total;
}

function without(bytes: Buffer, kinds: readonly ReadonlySet<number>[]): Buffer {
  const left = Buffer.allocUnsafe(bytes.length);
  let length = bytes.copy(left, 0, 0, SIGNATURE_BYTES);
  for (const { code, start, end } of chunksOf(bytes)) {
    if (!kinds.some((kind) => kind.has(code))) length += bytes.copy(left, length, start, end);
  }
  return left.subarray(0, length);
}

/** The chunks up to the last one, each with all that stands around its data. */
function* chunksOf(bytes: Buffer): Generator<{ code: number; start: number; end: number }> {
  let start = SIGNATURE_BYTES;
  while (start + CHUNK_FRAME_BYTES <= bytes.length) {
    const code = bytes.readUInt32BE(start + 4);
    const end = Math.min(bytes.length, start + CHUNK_FRAME_BYTES + bytes.readUInt32BE(start));
    yield { code, start, end };
    if (code === LAST) return;
    start = end;
  }
}

/** A chunk's type as the number its four letters are: a file may have a million chunks. */
function codeOf(type: string): number {
  return Buffer.from(type, 'latin1').readUInt32BE();
}
