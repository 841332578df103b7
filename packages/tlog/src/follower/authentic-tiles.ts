import type { Buffer } from 'node:buffer';

import { rootOf, type TreeEdge } from '../tree/growth.js';
import { HASH_BYTES, hashPerfect } from '../tree/hashes.js';
import { lastTile, levelsOf, TILE_WIDTH } from '../tree/tiles.js';
import type { OpenedCheckpoint } from '../notes/checkpoint.js';
import { LogContradiction, readPlace, type ReadPath, type ReadPlace } from './read-place.js';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/**
 * Tiles of somebody else's log, each of them checked up to the root of a checkpoint before anybody sees it: those at
 * the right edge make the root, and every full one is a hash in the tile above it. Keeps the edge and the last full
 * tile of each level. All readers throw `LogContradiction` for a tile that does not fit.
 */
export class AuthenticTiles {
  readonly #full = new Map<number, { n: number; hashes: Promise<readonly Buffer[]> }>();

  private constructor(
    readonly checkpoint: OpenedCheckpoint,
    private readonly readPath: ReadPath,
    private readonly edge: TreeEdge,
  ) {}

  /** Reads the right edge of the tree. */
  static async open(checkpoint: OpenedCheckpoint, readPath: ReadPath): Promise<AuthenticTiles> {
    const { size, root } = checkpoint;
    const levels = Array.from({ length: levelsOf(size) }, (_, level) => level);
    const partial = await Promise.all(
      levels.map(async (level) => {
        const place = { level, ...lastTile(size, level) };
        if (place.width === 0) return [];
        const read = await readPlace(readPath, checkpoint, { place, maxBytes: TILE_BYTES });
        if (read.bytes.length === read.width * HASH_BYTES) return split(read.bytes).slice(0, place.width);
        throw unfit(checkpoint, read);
      }),
    );
    const edge = { size, partial };
    if (!rootOf(edge).equals(root)) {
      const message = `the tiles at the right edge of ${size} entries have another root than the checkpoint`;
      throw new LogContradiction(message, { checkpoints: [checkpoint] });
    }
    return new AuthenticTiles(checkpoint, readPath, edge);
  }

  /** Hashes of a tile, as many as the tree has of it. */
  read(level: number, n: number): Promise<readonly Buffer[]> {
    const last = lastTile(this.checkpoint.size, level);
    if (n === last.n) return Promise.resolve(this.edge.partial[level] ?? []);
    const kept = this.#full.get(level);
    if (kept?.n === n) return kept.hashes;
    const hashes = this.#readFull(level, n);
    this.#full.set(level, { n, hashes });
    // A failure is for those who asked now, not for later ones.
    hashes.catch(() => this.#full.delete(level));
    return hashes;
  }

  async #readFull(level: number, n: number): Promise<readonly Buffer[]> {
    const above = await this.read(level + 1, Math.floor(n / TILE_WIDTH));
    const place = { level, n, width: TILE_WIDTH };
    const read = await readPlace(this.readPath, this.checkpoint, { place, maxBytes: TILE_BYTES });
    const hashes = read.bytes.length === TILE_BYTES ? split(read.bytes) : null;
    const hash = above[n % TILE_WIDTH];
    if (hashes !== null && hash !== undefined && hashPerfect(hashes).equals(hash)) return hashes;
    throw unfit(this.checkpoint, read);
  }

  /** Root of the first `size` entries of this tree: what an earlier checkpoint must have had. */
  async rootAt(size: number): Promise<Buffer> {
    const partial: (readonly Buffer[])[] = [];
    for (let level = 0; level < levelsOf(size); level += 1) {
      const { n, width } = lastTile(size, level);
      partial.push(width === 0 ? [] : (await this.read(level, n)).slice(0, width));
    }
    return rootOf({ size, partial });
  }
}

function split(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

function unfit(checkpoint: OpenedCheckpoint, { path, bytes }: ReadPlace): LogContradiction {
  const contradiction = { checkpoints: [checkpoint], served: { path, bytes } };
  return new LogContradiction(`${path} is not part of the tree of the checkpoint`, contradiction);
}
