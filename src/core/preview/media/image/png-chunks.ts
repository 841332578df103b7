const SIGNATURE_BYTES = 8;
/** Length, type and checksum around a chunk's data. */
const CHUNK_FRAME_BYTES = 12;
/** Enough for any sensible comment or colour profile; a decoder inflates more than a thousand times as much. */
const MAX_COMPRESSED_BYTES = 16 * 1024;
const MAX_CHUNKS = 100_000;
/** Chunks that a decoder reads, and mostly inflates, although the image does not need them. */
const DISPENSABLE: ReadonlySet<string> = new Set(['zTXt', 'iTXt', 'tEXt', 'iCCP']);

interface ByteRange {
  start: number;
  end: number;
}

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
  const needed = neededRanges(bytes);
  return needed === null ? bytes : Buffer.concat(needed.map(({ start, end }) => bytes.subarray(start, end)));
}

/** What remains without dispensable chunks; `null` when those are small. */
function neededRanges(bytes: Buffer): ByteRange[] | null {
  const ranges: ByteRange[] = [{ start: 0, end: Math.min(SIGNATURE_BYTES, bytes.length) }];
  let dispensableBytes = 0;
  let offset = SIGNATURE_BYTES;
  for (let count = 0; count < MAX_CHUNKS && offset + CHUNK_FRAME_BYTES <= bytes.length; count += 1) {
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    const end = Math.min(bytes.length, offset + CHUNK_FRAME_BYTES + bytes.readUInt32BE(offset));
    if (DISPENSABLE.has(type)) dispensableBytes += end - offset;
    else addRange(ranges, { start: offset, end });
    if (type === 'IEND') break;
    offset = end;
  }
  return dispensableBytes > MAX_COMPRESSED_BYTES ? ranges : null;
}

function addRange(ranges: ByteRange[], range: ByteRange): void {
  const last = ranges.at(-1);
  if (last?.end === range.start) last.end = range.end;
  else ranges.push(range);
}
