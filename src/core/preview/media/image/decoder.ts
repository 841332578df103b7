import { createRequire } from 'node:module';

import type { Sharp, SharpInput, SharpOptions } from 'sharp';

export type SharpFunction = (input: SharpInput, options?: SharpOptions) => Sharp;

/** Loaders the decoder may choose from; everything else libvips brings is switched off. */
const LOADERS = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].flatMap((format) => [
  `VipsForeignLoad${format}File`,
  `VipsForeignLoad${format}Buffer`,
]);
const TIMEOUT_SECONDS = 10;
/** What the decoder says after them, perhaps behind warnings. */
export const TIMEOUT_ERROR = /^timeout: /m;

/** The decoder's package. It is required: to import CommonJS, Node compiles a reader of it that leaves 9 MB (RSS). */
function requireSharp(): typeof import('sharp', { with: { 'resolution-mode': 'require' } }) {
  return createRequire(import.meta.url)('sharp');
}

/**
 * Loads the decoder into this process; the main thread must have done so before another one uses it. Its machine code
 * is enough for that: what sharp puts around it takes 100 ms of processor time, a sixth of the first preview, for
 * nothing that the main thread calls. It is a package for each system, named after the C library where there are two.
 */
export function loadDecoder(): void {
  const load = createRequire(createRequire(import.meta.url).resolve('sharp'));
  for (const system of [process.platform, `${process.platform}musl`]) {
    try {
      load(`@img/sharp-${system}-${process.arch}/sharp.node`);
      return;
    } catch {
      // Not for this system, or built here: sharp knows where.
    }
  }
  requireSharp();
}

export function loadSharp(): SharpFunction {
  const sharp = requireSharp();
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return sharp;
}

export function opened(
  sharp: SharpFunction,
  bytes: Buffer,
  { maxPixels, ignoreIcc = false }: { maxPixels: number; ignoreIcc?: boolean },
): Sharp {
  const options = { failOn: 'none', limitInputPixels: maxPixels, sequentialRead: true, ignoreIcc } as const;
  return sharp(bytes, options).timeout({ seconds: TIMEOUT_SECONDS });
}
