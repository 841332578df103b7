import type { Buffer } from 'node:buffer';

import { UnavailableError } from '../http.js';
import type { OpenedCheckpoint } from '../notes/checkpoint.js';
import { TILE_WIDTH, tilePath, type TilePlace } from '../tree/tiles.js';

/** An answer of a log that is not what its checkpoint commits to. */
export interface ServedBytes {
  path: string;
  bytes: Buffer;
}

/** What contradicts each other. */
export interface Contradiction {
  /** Older first. */
  checkpoints: readonly OpenedCheckpoint[];
  served?: ServedBytes;
}

/** A log has served what contradicts something it has signed: it must not be followed any further. */
export class LogContradiction extends Error {
  constructor(
    message: string,
    readonly contradiction: Contradiction,
  ) {
    super(message);
  }
}

/**
 * Reads below the address of a log; `null`: 404. Rejects with `UnavailableError` when no complete answer comes, with
 * the reason `too_large` when it has more bytes.
 */
export type ReadPath = (path: string, maxBytes: number) => Promise<Buffer | null>;

/** What was read of a tile or bundle. */
export interface ReadPlace {
  path: string;
  /** As asked for, or full: a partial one may vanish when the full one is there. */
  width: number;
  bytes: Buffer;
}

/**
 * Reads a tile or bundle that a checkpoint commits to. Throws `LogContradiction` when it is longer than it can be, and
 * `UnavailableError` when it is not to be had.
 */
export async function readPlace(
  readPath: ReadPath,
  checkpoint: OpenedCheckpoint,
  { place, maxBytes }: { place: TilePlace; maxBytes: number },
): Promise<ReadPlace> {
  const widths = place.width === TILE_WIDTH ? [TILE_WIDTH] : [place.width, TILE_WIDTH];
  for (const width of widths) {
    const path = tilePath({ ...place, width });
    const bytes = await readPath(path, maxBytes).catch((error: unknown) => {
      if (!(error instanceof UnavailableError) || error.reason !== 'too_large') throw error;
      throw new LogContradiction(`${path} is longer than it can be`, { checkpoints: [checkpoint] });
    });
    if (bytes !== null) return { path, width, bytes };
  }
  const detail = `${tilePath(place)} is part of the checkpoint of ${checkpoint.size} entries, and is not served`;
  throw new UnavailableError(detail, 'status');
}
