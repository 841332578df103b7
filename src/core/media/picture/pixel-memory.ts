import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees what has become garbage since the last time; a few milliseconds. */
export type CollectYoung = () => void;

const MAX_UNCOLLECTED_BYTES = 1024 * 1024;

/**
 * Pixels in memory belong to small objects, so that the engine sees no need to collect those early: it lets the
 * pixels pile up until their bytes make it collect the whole heap, ten milliseconds of work for every fifth picture.
 * This asks for the collection of young objects, a third of a millisecond, for each MiB of pixels.
 */
export class PixelMemory {
  #uncollectedBytes = 0;

  constructor(private readonly collect: CollectYoung) {}

  /** Counts pixels that nobody needs any more. */
  dropped(bytes: number): void {
    this.#uncollectedBytes += bytes;
    if (this.#uncollectedBytes < MAX_UNCOLLECTED_BYTES) return;
    this.#uncollectedBytes = 0;
    this.collect();
  }
}

/** The engine's collection of young objects, which only new contexts are given, and only behind a flag. */
export function youngCollection(): CollectYoung {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return () => {};
  return () => void collect({ type: 'minor' });
}
