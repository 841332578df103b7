import { createRequire } from 'node:module';

/** The decoder's package. It is required: to import CommonJS, Node compiles a reader of it that leaves 9 MB (RSS). */
export function requireSharp(): typeof import('sharp', { with: { 'resolution-mode': 'require' } }) {
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
