/** `RIFF`, a size and `WEBP`. */
const FILE_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const FRAME = Buffer.from('ANMF').readUInt32LE();

/**
 * The WebP up to its second frame, of which thumbnails show nothing: the decoder's time to open an animation grows
 * with the square of its frames, to a minute for 10 MB of them. The same bytes when there is one image.
 */
export function firstWebpFrame(bytes: Buffer): Buffer {
  let frames = 0;
  let start = FILE_HEAD_BYTES;
  while (start + CHUNK_HEAD_BYTES <= bytes.length) {
    if (bytes.readUInt32LE(start) === FRAME) frames += 1;
    if (frames > 1) return cutAt(bytes, start);
    const sizeBytes = bytes.readUInt32LE(start + 4);
    start += CHUNK_HEAD_BYTES + sizeBytes + (sizeBytes % 2);
  }
  return bytes;
}

function cutAt(bytes: Buffer, end: number): Buffer {
  const cut = Buffer.from(bytes.subarray(0, end));
  cut.writeUInt32LE(end - CHUNK_HEAD_BYTES, 4);
  return cut;
}
