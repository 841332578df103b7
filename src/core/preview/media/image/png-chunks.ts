const SIGNATURE_BYTES = 8;
/** Length, type and checksum around a chunk's data. */
const CHUNK_FRAME_BYTES = 12;
/** Enough for any sensible comment or colour profile; a decoder inflates more than a thousand times as much. */
const MAX_COMPRESSED_BYTES = 16 * 1024;
/** Chunks that a decoder reads, and mostly inflates, although the image does not need them. */
const DISPENSABLE: ReadonlySet<number> = new Set(['zTXt', 'iTXt', 'tEXt', 'iCCP'].map(codeOf));
const LAST = codeOf('IEND');

/** Where the first chunk, the header, says how the pixels are ordered. */
const INTERLACE_BYTE = 28;

/** Whether pixels come in several passes, or nobody knows in which order: damage to them spoils all of such a PNG. */
export function isInterlacedPng(bytes: Buffer): boolean {
  return bytes[INTERLACE_BYTE] !== 0;
}

/**
 * The PNG without its texts and colour profile when those are suspiciously large: a few kB of them inflate to
 * gigabytes before a decoder has seen one pixel. The same bytes when they are fine as they are.
 */
export function withoutPngTexts(bytes: Buffer): Buffer {
  let dispensableBytes = 0;
  for (const { code, start, end } of chunksOf(bytes)) {
    if (DISPENSABLE.has(code)) dispensableBytes += end - start;
  }
  return dispensableBytes > MAX_COMPRESSED_BYTES ? neededOf(bytes) : bytes;
}

function neededOf(bytes: Buffer): Buffer {
  const needed = Buffer.allocUnsafe(bytes.length);
  let length = bytes.copy(needed, 0, 0, SIGNATURE_BYTES);
  for (const { code, start, end } of chunksOf(bytes)) {
    if (!DISPENSABLE.has(code)) length += bytes.copy(needed, length, start, end);
  }
  return needed.subarray(0, length);
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
