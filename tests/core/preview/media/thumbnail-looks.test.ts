import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { behindHeader, pngChunk } from './sample-images.js';
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

  it('that crop show the middle of a long image, and no more of it', async () => {
    const middle = { create: { width: 420, height: 400, channels: 3, background: 'red' } } as const;
    const wide = sharp({ create: { ...middle.create, width: 1600, background: 'lime' } }).composite([
      { input: await sharp(middle).png().toBuffer() },
    ]);
    const upright = sharp(await wide.png().toBuffer()).rotate(90);

    for (const image of [wide, upright]) {
      const made = await make(await image.png().toBuffer());
      const crops = made.thumbnails.filter(({ method }) => method === 'crop');
      expect(crops).toHaveLength(2);
      for (const { bytes } of crops) {
        const { channels } = await sharp(bytes).stats();
        expect(channels.slice(0, 2).map(({ mean }) => Math.round(mean))).toEqual([255, 0]);
      }
    }
  });

  it('of a PNG have the colours of its profile, however long its texts are', async () => {
    const red = sharp({
      create: { width: 200, height: 100, channels: 3, background: { r: 255, g: 0, b: 0 } },
    });
    const plain = await red.withIccProfile('p3').png().toBuffer();
    const text = pngChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${' '.repeat(20_000)}`));
    const annotated = behindHeader(plain, text);
    const colourOf = async (image: Buffer) => {
      const [first] = (await make(image)).thumbnails;
      return [...(await sharp(first?.bytes).raw().toBuffer()).subarray(0, 3)];
    };

    const unprofiled = await colourOf(await red.png().toBuffer());
    expect([await colourOf(plain), await colourOf(annotated)]).toEqual([unprofiled, unprofiled]);
  });
});
