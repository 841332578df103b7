import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { makeThumbnails as make } from './thumbnailer-kit.js';

describe('thumbnails', () => {
  it('look like the image in every size: left is red, right is blue, the lower half is see-through', async () => {
    const band = (red: number, blue: number, alpha: number) =>
      Buffer.alloc(4, Buffer.from([red, 0, blue, alpha]));
    const row = (alpha: number) =>
      Buffer.concat(
        Array.from({ length: 900 }, (_, x) => (x < 450 ? band(255, 0, alpha) : band(0, 255, alpha))),
      );
    const data = Buffer.concat(Array.from({ length: 900 }, (_, y) => row(y < 450 ? 255 : 0)));
    const made = await make(
      await sharp(data, { raw: { width: 900, height: 900, channels: 4 } })
        .png()
        .toBuffer(),
    );

    for (const { bytes, width, height } of made.thumbnails) {
      const shown = await sharp(bytes).raw().toBuffer();
      const at = (x: number, y: number) => {
        const start = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
        return [...shown.subarray(start, start + 4)];
      };
      expect([at(0.2, 0.2), at(0.8, 0.2), at(0.2, 0.8)[3]]).toEqual([[255, 0, 0, 255], [0, 0, 255, 255], 0]);
    }
    expect(made.thumbnails).toHaveLength(5);
  });
});
