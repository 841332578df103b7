import { deflateSync } from 'node:zlib';

import sharp, { type Sharp } from 'sharp';

/** A colourful image of the given size in a real format. */
export function sampleImage(width: number, height: number): Sharp {
  const data = Buffer.alloc(width * height * 3);
  for (let place = 0; place < data.length; place += 3) {
    const pixel = place / 3;
    data[place] = (pixel % width) & 255;
    data[place + 1] = Math.floor(pixel / width) & 255;
    data[place + 2] = (pixel * 7) & 255;
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** A black 1-bit PNG of any size, a few kB for a billion pixels, with extra chunks after the header. */
export function tinyPng(width: number, height: number, chunks: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * Math.min(height, 2000)), { level: 9 });
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A text chunk that inflates to `bytes`. */
export function textBomb(bytes: number): Buffer {
  return pngChunk(
    'zTXt',
    Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(bytes, 'a'), { level: 9 })]),
  );
}

/** A GIF whose frames are one pixel each. */
export function manyFrames(frames: number): Buffer {
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex');
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

/** The PNG with a chunk more, which stands where colour profiles have to. */
export function behindHeader(png: Buffer, chunk: Buffer): Buffer {
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), chunk, png.subarray(headerEnd)]);
}

/** One chunk of a PNG. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(8 + body.length);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), 4 + body.length);
  return chunk;
}

function crc32(bytes: Buffer): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
