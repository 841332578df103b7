/**
 * Compares looks and length of thumbnails with those made the plain way: `npx tsx bench/thumbnails/score.ts FOLDER`, of
 * photographs, each reduced to 1,200 pixels first, as sites offer them. Looks are the SSIM of the luma (Wang et al. 2004,
 * windows of 8×8 pixels) to a thumbnail made by Lanczos from all pixels and never encoded; 1 is the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import sharp, { type Sharp } from 'sharp';

import { Thumbnailer } from '../../src/core/preview/media/image/thumbnailer.js';
import {
  thumbnailPixels,
  type PixelSize,
  type ThumbnailSize,
} from '../../src/core/preview/media/image/thumbnail-sizes.js';

const SIZES: readonly ThumbnailSize[] = [
  { width: 32, height: 32, method: 'crop' },
  { width: 96, height: 96, method: 'crop' },
  { width: 320, height: 240, method: 'scale' },
  { width: 640, height: 480, method: 'scale' },
  { width: 800, height: 600, method: 'scale' },
];
const LONGEST_SIDE = 1200;
const MAX_PIXELS = 32_000_000;
const WINDOW = 8;
/** (0.01 × 255)² and (0.03 × 255)². */
const [C1, C2] = [6.5025, 58.5225];

interface Luma extends PixelSize {
  values: Buffer;
}

/** Of one thumbnail, made by us and the plain way. */
interface Score {
  looks: number;
  plainLooks: number;
  bytes: number;
  plainBytes: number;
}

const thumbnailer = new Thumbnailer();

async function scoresOf(file: string): Promise<Score[]> {
  const jpeg = await sharp(readFileSync(file))
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .jpeg({ quality: 90 })
    .toBuffer();
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const base = sharp(jpeg).resize(800, 600, { fit: 'inside', withoutEnlargement: true });
  const plainBase = await base.raw().toBuffer({ resolveWithObject: true });
  const options = { sizes: SIZES, maxPixels: MAX_PIXELS, blurhash: false, size: info };
  const { thumbnails } = await thumbnailer.make(jpeg, 'image/jpeg', options);
  return Promise.all(
    SIZES.map(async (size): Promise<Score> => {
      const { width, height } = thumbnailPixels(info, size);
      const fit = size.method === 'crop' ? 'cover' : 'fill';
      const made = thumbnails.find((one) => one.width === width && one.height === height);
      if (made === undefined) throw new Error(`${file} has no thumbnail of ${width} × ${height}`);
      const exact = await lumaOf(sharp(data, { raw: info }).resize(width, height, { fit }));
      const plain = await sharp(plainBase.data, { raw: plainBase.info })
        .resize(width, height, { fit })
        .jpeg({ quality: 80 })
        .toBuffer();
      return {
        looks: ssim(exact, await lumaOf(sharp(made.bytes))),
        plainLooks: ssim(exact, await lumaOf(sharp(plain))),
        bytes: made.bytes.length,
        plainBytes: plain.length,
      };
    }),
  );
}

async function lumaOf(image: Sharp): Promise<Luma> {
  const { data, info } = await image
    .removeAlpha()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { values: data, width: info.width, height: info.height };
}

/** Throws for what is smaller than a window. */
function ssim(a: Luma, b: Luma): number {
  if (Math.min(a.width, a.height) < WINDOW) throw new Error(`${a.width} × ${a.height} pixels are too few`);
  let sum = 0;
  let windows = 0;
  for (let top = 0; top + WINDOW <= a.height; top += WINDOW / 2) {
    for (let left = 0; left + WINDOW <= a.width; left += WINDOW / 2) {
      sum += ssimOfWindow(a, b, { top, left });
      windows += 1;
    }
  }
  return sum / windows;
}

function ssimOfWindow(a: Luma, b: Luma, { top, left }: { top: number; left: number }): number {
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let row = top; row < top + WINDOW; row += 1) {
    for (let at = row * a.width + left; at < row * a.width + left + WINDOW; at += 1) {
      const [p, q] = [a.values[at] ?? 0, b.values[at] ?? 0];
      sumA += p;
      sumB += q;
      squaresA += p * p;
      squaresB += q * q;
      products += p * q;
    }
  }
  const pixels = WINDOW * WINDOW;
  const [meanA, meanB] = [sumA / pixels, sumB / pixels];
  const spread = squaresA / pixels - meanA ** 2 + squaresB / pixels - meanB ** 2;
  const shared = products / pixels - meanA * meanB;
  return ((2 * meanA * meanB + C1) * (2 * shared + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (spread + C2));
}

function report(scores: readonly (readonly Score[])[]): void {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  for (const [index, { width, height, method }] of SIZES.entries()) {
    const own = scores.map((ofImage) => ofImage[index]).filter((score) => score !== undefined);
    const looks = (of: (score: Score) => number): string => {
      const values = own.map(of);
      return `${mean(values).toFixed(3)} (least ${Math.min(...values).toFixed(3)})`;
    };
    const length = mean(own.map(({ bytes }) => bytes)) / mean(own.map(({ plainBytes }) => plainBytes));
    console.log(
      `${`${width}×${height} ${method}`.padEnd(14)} SSIM ${looks((score) => score.looks)}, plain ` +
        `${looks((score) => score.plainLooks)}; ${length.toFixed(2)} times as long as plain`,
    );
  }
}

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: npx tsx bench/thumbnails/score.ts FOLDER');
  process.exitCode = 2;
} else {
  const names = readdirSync(folder).filter((name) => /\.(?:jpe?g|png|webp)$/i.test(name));
  if (names.length === 0) throw new Error(`there are no images in ${folder}`);
  const scores: Score[][] = [];
  for (const name of names) scores.push(await scoresOf(join(folder, name)));
  console.log(`${scores.length} images`);
  report(scores);
}
