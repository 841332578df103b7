/** `RIFF`, a size and `WEBP`. */
const FILE_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const FRAME = Buffer.from('ANMF').readUInt32LE();
/** Holds the orientation, and comes behind all frames (RFC 9649 §2.7). */
const EXIF = Buffer.from('EXIF').readUInt32LE();

/**
 * The WebP without further frames than its first, of which thumbnails show nothing: the decoder's time to open an
 * animation grows with the square of its frames, to a minute for 10 MB of them. The same bytes when there is one image.
 */
export function firstWebpFrame(bytes: Buffer): Buffer {
  let frames = 0;
  let end = bytes.length;
  let start = FILE_HEAD_BYTES;
  while (start + CHUNK_HEAD_BYTES <= bytes.length) {
    const name = bytes.readUInt32LE(start);
    const sizeBytes = bytes.readUInt32LE(start + 4);
    const next = start + CHUNK_HEAD_BYTES + sizeBytes + (sizeBytes % 2);
    if (name === FRAME) frames += 1;
    if (frames === 2) end = Math.min(end, start);
    if (frames > 1 && name === EXIF) return joined(bytes.subarray(0, end), bytes.subarray(start, next));
    start = next;
  }
  return frames > 1 ? joined(bytes.subarray(0, end), Buffer.alloc(0)) : bytes;
}

function joined(...parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(parts);
  bytes.writeUInt32LE(bytes.length - CHUNK_HEAD_BYTES, 4);
  return bytes;
}
