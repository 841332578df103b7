import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { jpegSize } from '../../../../src/core/preview/media/image/jpeg-head.js';
import { sampleImage } from './sample-images.js';

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const withSegment = (jpeg: Buffer, added: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), added, jpeg.subarray(2)]);

describe('the size in the head of a JPEG', () => {
  it.each([
    ['baseline', () => sampleImage(301, 203).jpeg()],
    ['progressive', () => sampleImage(301, 203).jpeg({ progressive: true })],
    ['grey', () => sampleImage(301, 203).greyscale().jpeg()],
    ['four inks', () => sampleImage(301, 203).toColourspace('cmyk').jpeg()],
    ['with a colour profile', () => sampleImage(301, 203).withIccProfile('p3').jpeg()],
  ])('is what the decoder says: %s', async (_name, make) => {
    const bytes = await make().toBuffer();
    const { width, height } = await sharp(bytes).metadata();

    expect(jpegSize(bytes)).toEqual({ width, height });
    expect({ width, height }).toEqual({ width: 301, height: 203 });
  });

  it.each([1, 3, 6, 8])(
    'is left to the decoder when EXIF says how it is turned (%i)',
    async (orientation) => {
      expect(jpegSize(await sampleImage(30, 20).jpeg().withMetadata({ orientation }).toBuffer())).toBeNull();
    },
  );

  it('is found behind segments of other kinds', async () => {
    const bytes = await sampleImage(64, 48).jpeg().toBuffer();
    const comment = segment(0xfe, Buffer.from('a comment'));
    const xmp = segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>'));

    expect(jpegSize(withSegment(withSegment(bytes, comment), xmp))).toEqual({ width: 64, height: 48 });
  });

  it('is left to the decoder in a file that is not ordinary', async () => {
    const bytes = await sampleImage(64, 48).jpeg().toBuffer();
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    const noHeight = Buffer.from(bytes);
    noHeight.writeUInt16BE(0, frame + 5);
    const secondFrame = withSegment(bytes, segment(0xc0, Buffer.from([8, 0, 9, 0, 9, 1, 1, 0x11, 0])));
    const lyingLength = Buffer.from(bytes);
    lyingLength.writeUInt16BE(3, 4);
    const manySegments = Buffer.concat([
      bytes.subarray(0, 2),
      ...Array.from({ length: 1001 }, () => segment(0xfe, Buffer.alloc(1))),
      bytes.subarray(2),
    ]);

    for (const odd of [noHeight, secondFrame, lyingLength, manySegments]) expect(jpegSize(odd)).toBeNull();
    for (let length = 0; length < frame + 9; length += 1)
      expect(jpegSize(bytes.subarray(0, length))).toBeNull();
    expect(jpegSize(await sampleImage(9, 9).png().toBuffer())).toBeNull();
  });
});
