import type { RawPixels } from './raw-pixels.js';

/** 800×600 pixels of four bytes. */
const SLAB_BYTES = 2 * 1024 * 1024;

/**
 * Memory that pixels are worked on in, used again and again. What the decoder hands out belongs to the garbage
 * collector: held for as long as thumbnails take, it grows old, and then only collecting the whole heap frees it.
 */
export class PixelSlabs {
  readonly #free: Buffer[] = [];

  /** Keeps `maxFree` slabs for the next ones: as many as are in use at once. */
  constructor(private readonly maxFree: number) {}

  /**
   * Moves pixels into a slab, unless they are too many; returns what gives the slab back, to be called when nobody
   * reads them any more.
   */
  hold(pixels: RawPixels): () => void {
    const { length } = pixels.data;
    if (length > SLAB_BYTES) return () => {};
    const slab = this.#free.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
    pixels.data.copy(slab);
    pixels.data = slab.subarray(0, length);
    return () => {
      if (this.#free.length < this.maxFree) this.#free.push(slab);
    };
  }
}
