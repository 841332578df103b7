import { describe, expect, it } from 'vitest';

import { averaged, middlePart, type RawPixels } from '../../../../src/core/preview/media/image/raw-pixels.js';

function pixels(width: number, rows: number[][]): RawPixels {
  const channels = (rows[0]!.length / width) as RawPixels['channels'];
  return { width, height: rows.length, channels, data: Buffer.from(rows.flat()) };
}

describe('middlePart', () => {
  it('of a wide image leaves as much out left as right', () => {
    const wide = pixels(4, [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]);

    expect(middlePart(wide, { width: 1, height: 1 })).toEqual({
      width: 2,
      height: 2,
      channels: 1,
      data: Buffer.from([2, 3, 6, 7]),
    });
  });

  it('of an image as the box is everything', () => {
    const square = pixels(2, [
      [1, 2],
      [3, 4],
    ]);

    expect(middlePart(square, { width: 96, height: 96 })).toEqual(square);
  });

  it('has a pixel at least, however flat the box is', () => {
    const tall = pixels(1, [[1], [2], [3]]);

    expect(middlePart(tall, { width: 1000, height: 1 })).toMatchObject({ width: 1, height: 1 });
  });
});

describe('averaged', () => {
  it('gives each pixel the mean of those it stands for, in sizes that do not divide too', () => {
    const three = pixels(3, [[0, 0, 0, 10, 20, 30, 20, 40, 60]]);

    expect(averaged(three, { width: 2, height: 1 })?.data).toEqual(Buffer.from([0, 0, 0, 15, 30, 45]));
    expect(averaged(three, { width: 1, height: 1 })?.data).toEqual(Buffer.from([10, 20, 30]));
  });

  it('lets transparent pixels add nothing to the colour', () => {
    const half = pixels(2, [[200, 100, 50, 255, 0, 0, 0, 0]]);

    expect(averaged(half, { width: 1, height: 1 })?.data).toEqual(Buffer.from([200, 100, 50, 128]));
  });

  it('of nothing but transparent pixels is transparent', () => {
    const clear = pixels(2, [[9, 9, 9, 0, 9, 9, 9, 0]]);

    expect(averaged(clear, { width: 1, height: 1 })?.data).toEqual(Buffer.alloc(4));
  });

  it('leaves grey pixels to the decoder', () => {
    expect(averaged(pixels(2, [[1, 2]]), { width: 1, height: 1 })).toBeNull();
  });
});
