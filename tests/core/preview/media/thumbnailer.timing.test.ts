import { describe, expect, it } from 'vitest';

import { firstJpegScans } from '../../../../src/core/preview/media/image/image-type.js';
import { Thumbnailer } from '../../../../src/core/preview/media/image/thumbnailer.js';
import { slowness } from '../../../support/machine-speed.js';
import {
  chainedProfile,
  manyScans,
  manyWebpCodes,
  manyWebpFrames,
  profilePng,
  repeatedAvif,
  tiledAvif,
} from './image-bombs.js';
import { manyFrames, sampleImage, textBomb, tinyPng } from './sample-images.js';
import { makeThumbnails as make } from './thumbnailer-kit.js';

/** How much memory the process took at most while this went on. */
async function grownBy<T>(work: () => Promise<T>): Promise<{ made: T; grownBytes: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2);
  try {
    const made = await work();
    return { made, grownBytes: peak - before };
  } finally {
    clearInterval(watch);
  }
}

describe('hostile images', () => {
  it.each([
    ['a PNG of 30,000 x 30,000', () => tinyPng(30_000, 30_000)],
    ['a PNG of 31,000,000 x 1', () => tinyPng(31_000_000, 1)],
    ['a PNG of 1 x 31,000,000', () => tinyPng(1, 31_000_000)],
    ['a PNG of just the limit', () => tinyPng(8192, 4096)],
    ['a PNG that is only its signature', () => Buffer.from('\x89PNG\r\n\x1a\ngarbage', 'latin1')],
    [
      'a JPEG cut in its header',
      async () => (await sampleImage(500, 500).jpeg().toBuffer()).subarray(0, 150),
    ],
    ['an AVIF put together of others', () => tiledAvif({ tile: 2000, rows: 8, whole: 64 })],
    [
      'an AVIF that has 100 frames of 4 million pixels to show one',
      () => tiledAvif({ tile: 2000, rows: 0, whole: 2000, frames: 100 }),
    ],
    ['an AVIF of 3 kB whose 500 items have 60 MB each', () => repeatedAvif(500, 20_000)],
  ])('%s is refused, at once', async (_name, create) => {
    const bytes = await create();
    const started = process.cpuUsage();

    await expect(make(bytes)).rejects.toThrow('refused');
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500 * slowness());
  });

  it('a PNG with 100 texts of 50 MB each is decoded without them', async () => {
    const bomb = textBomb(50_000_000);
    const startedMs = performance.now();

    expect(
      await make(
        tinyPng(
          10,
          10,
          Array.from({ length: 100 }, () => bomb),
        ),
      ),
    ).toMatchObject({ width: 10 });
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });

  it('a GIF of 690,000 frames is decoded up to its first', async () => {
    const bytes = manyFrames(690_000);
    const startedMs = performance.now();

    expect(await make(bytes)).toMatchObject({ width: 1, height: 1 });
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  it.each([['PNG', profilePng]] as const)(
    'a profile with a program of 8,000 steps does not run in a %s',
    async (_format, image) => {
      const bytes = await image(chainedProfile(8_000));
      await make(await sampleImage(64, 64).png().toBuffer());

      const started = process.cpuUsage();
      expect(await make(bytes)).toMatchObject({ width: 64, height: 64 });
      // The program takes a third of a millisecond for each step.
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(500 * slowness());
    },
  );

  it('a WebP of 40,000 frames is decoded up to its first', async () => {
    const bytes = await manyWebpFrames(40_000);
    const started = process.cpuUsage();

    expect(await make(bytes)).toMatchObject({ width: 1, height: 1 });
    // Opening all of them takes a time that grows with the square of their number: three seconds here.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500 * slowness());
  });

  it('a JPEG of 4 million pixels and 5,000 scans is decoded up to its 32nd scan', async () => {
    const bytes = manyScans(2000, 5_000);
    const started = process.cpuUsage();

    expect(await make(bytes)).toMatchObject({ width: 2000, height: 2000 });
    // A third of a millisecond each.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500 * slowness());
  });

  it('a JPEG of 64 MB is gone through fast', async () => {
    const whole = await sampleImage(64, 64).jpeg().toBuffer();
    const bytes = Buffer.concat([whole.subarray(0, -2), Buffer.alloc(64_000_000)]);
    const leastMs = async (work: () => unknown): Promise<number> => {
      const times: number[] = [];
      for (let time = 0; time < 5; time += 1) {
        const started = process.cpuUsage();
        await work();
        times.push(process.cpuUsage(started).user / 1000);
      }
      return Math.min(...times);
    };

    // A pass over each byte by itself takes some 60 ms.
    expect(await leastMs(() => firstJpegScans(bytes))).toBeLessThan(25 * slowness());
  });

  it('WebPs with as many codes as pixels allow are not all held in memory at once', async () => {
    const bytes = manyWebpCodes(1024);
    const thumbnailer = new Thumbnailer();
    const three = [1, 2, 3].map(() => () => make(bytes, { thumbnailer }));

    const { made, grownBytes } = await grownBy(() => Promise.all(three.map((one) => one())));

    expect(made).toHaveLength(3);
    // One takes some 370 MB.
    expect(grownBytes).toBeLessThan(600 * 1024 * 1024);
  });

  it('large ones are not all held in memory at once', async () => {
    const interlaced = await sampleImage(5000, 5000).ensureAlpha().png({ progressive: true }).toBuffer();
    const thumbnailer = new Thumbnailer();
    const three = [1, 2, 3].map(() => () => make(interlaced, { thumbnailer }));

    const { grownBytes } = await grownBy(() => Promise.all(three.map((one) => one())));

    // One takes some 130 MB.
    expect(grownBytes).toBeLessThan(250 * 1024 * 1024);
  });
});
