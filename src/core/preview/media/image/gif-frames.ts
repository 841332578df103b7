const HEAD_BYTES = 13;
const IMAGE_HEAD_BYTES = 10;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = Buffer.from([0x3b]);

/**
 * The GIF up to its first frame, which is all that thumbnails show: opening an animation takes the decoder time for
 * each frame, and 20 kB of gzip may hold 700,000 of them. The same bytes when there is no whole frame.
 */
export function firstGifFrame(bytes: Buffer): Buffer {
  let at = HEAD_BYTES + tableBytes(bytes[10] ?? 0);
  while (bytes[at] === EXTENSION) at = endOfBlocks(bytes, at + 2);
  if (bytes[at] !== IMAGE) return bytes;
  // Behind its head and table one byte tells the size of codes.
  const end = endOfBlocks(bytes, at + IMAGE_HEAD_BYTES + tableBytes(bytes[at + 9] ?? 0) + 1);
  return end + TRAILER.length >= bytes.length ? bytes : Buffer.concat([bytes.subarray(0, end), TRAILER]);
}

/** Of a table of colours by the flags that announce it. */
function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Data comes in blocks that state their size, the last one 0. */
function endOfBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let size = bytes[at]; size !== undefined && size > 0; size = bytes[at]) at += 1 + size;
  return at + 1;
}
