import sharp from 'sharp';

import { serveJobs } from '../support/child.js';
import { makeImage } from '../support/preview-site.js';

/** Makes the five thumbnails of the bench's image this many times. */
export interface PlainThumbnailsJob {
  times: number;
}

export interface PlainThumbnailsOutcome {
  /** CPU of one time, all threads. */
  cpuMs: number;
}

const SIZES = [
  { width: 32, height: 32, fit: 'cover' },
  { width: 96, height: 96, fit: 'cover' },
  { width: 320, height: 240, fit: 'inside' },
  { width: 640, height: 480, fit: 'inside' },
] as const;
const QUALITY = 80;

sharp.cache(false);
sharp.concurrency(1);
const image = makeImage();

serveJobs(async ({ times }: PlainThumbnailsJob): Promise<PlainThumbnailsOutcome> => {
  const jpeg = await image;
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) await makeThumbnails(jpeg);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 / times };
});

/** One decode to 800×600, the others from that, with the library's defaults. */
async function makeThumbnails(jpeg: Buffer): Promise<void> {
  const large = sharp(jpeg).resize(800, 600, { fit: 'inside' });
  const { data, info } = await large.raw().toBuffer({ resolveWithObject: true });
  await sharp(data, { raw: info }).jpeg({ quality: QUALITY }).toBuffer();
  for (const size of SIZES) {
    await sharp(data, { raw: info }).resize(size).jpeg({ quality: QUALITY }).toBuffer();
  }
}
