import type { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';

import { openCheckpoint, type OpenedCheckpoint } from './checkpoint.js';
import { UnavailableError, isTooLarge, type ReadPath } from './io.js';
import { readKeyEntry, whyRecordRefused, type ReadKeyEntry } from './key-entry.js';
import type { VerifierKey } from './note.js';
import { MAX_BUNDLE_BYTES, TILE_WIDTH, hashesAt, readBundle, tilePath, type TilePlace } from './tiles.js';
import { HASH_BYTES, hashLeaf, hashPerfect, readEdge, rootOf, splitHashes } from './tree.js';

export { remoteLog, type ReadPath } from './io.js';

/** An answer of a log that does not match its checkpoint. */
export interface ServedBytes {
  path: string;
  bytes: Buffer;
}

/** Signed checkpoints, older first, and an answer, which contradict each other. */
export interface Contradiction {
  checkpoints: readonly OpenedCheckpoint[];
  served?: ServedBytes;
}

/** A log has contradicted something it has signed: it must not be followed any further. */
export class LogContradiction extends Error {
  constructor(
    message: string,
    readonly contradiction: Contradiction,
  ) {
    super(message);
  }
}

/** How far a log has been followed. */
export interface FollowedLog {
  /** The last one that was consistent with all before; `null`: none yet. */
  checkpoint: OpenedCheckpoint | null;
  /** Entries of it that have been read. */
  read: number;
}

/** New entries of the log, in order. */
export interface ReadEntries {
  from: number;
  entries: readonly Buffer[];
}

/** Signatures of some hundred witnesses included. */
const MAX_CHECKPOINT_BYTES = 65_536;
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** Bundles that are read ahead, each of 17 MB at most. */
const READ_AHEAD = 4;
/** A smaller checkpoint is read again after these delays: another instance, or a cache, may be behind. */
const PATIENCE_MS = [1000, 2000, 4000, 8000];

/** Follows another server's log, and believes only what its signed checkpoints prove. */
export class LogFollower {
  #tiles: AuthenticTiles | null = null;

  constructor(
    private readonly key: VerifierKey,
    private readonly readPath: ReadPath,
    public followed: FollowedLog = { checkpoint: null, read: 0 },
    private readonly patienceMs: readonly number[] = PATIENCE_MS,
  ) {}

  /**
   * Fetches the checkpoint and proves that the log has only grown since the last one. Throws `LogContradiction` when it
   * has not, and `UnavailableError` when it cannot be read. The signal ends waiting.
   */
  async look(signal?: AbortSignal): Promise<OpenedCheckpoint> {
    const { checkpoint: before, read } = this.followed;
    let checkpoint = await this.#readCheckpoint();
    for (const waitMs of this.patienceMs) {
      if (checkpoint.size >= (before?.size ?? 0)) break;
      await setTimeout(waitMs, undefined, { signal });
      checkpoint = await this.#readCheckpoint();
    }
    if (before !== null) refuseFork(before, checkpoint);
    const isRead = before?.size === checkpoint.size && read === checkpoint.size;
    if (!isRead && this.#tiles?.checkpoint.size !== checkpoint.size)
      this.#tiles = await this.#openTiles(before, checkpoint);
    this.followed = { checkpoint, read };
    return checkpoint;
  }

  /** Every entry that has not been read, each verified against the checkpoint. Throws as `look`. */
  async *entries(): AsyncGenerator<ReadEntries> {
    const tiles = this.#tiles;
    const size = this.followed.checkpoint?.size ?? 0;
    const ahead: Promise<readonly Buffer[]>[] = [];
    let next = Math.floor(this.followed.read / TILE_WIDTH);
    if (tiles === null) return;
    while (this.followed.read < size) {
      for (; ahead.length < READ_AHEAD && next * TILE_WIDTH < size; next += 1) {
        const reading = tiles.readBundle(next);
        // The failure is thrown when the bundle is needed.
        reading.catch(() => undefined);
        ahead.push(reading);
      }
      const from = this.followed.read;
      const entries = (await ahead.shift())?.slice(from % TILE_WIDTH) ?? [];
      yield { from, entries };
      // Only now has the caller processed them.
      this.followed = { ...this.followed, read: from + entries.length };
    }
  }

  async #readCheckpoint(): Promise<OpenedCheckpoint> {
    const bytes = await this.readPath('checkpoint', MAX_CHECKPOINT_BYTES);
    if (bytes === null) throw new UnavailableError('There is no checkpoint', 'status');
    const checkpoint = openCheckpoint(bytes.toString(), this.key);
    if (checkpoint !== null) return checkpoint;
    throw new UnavailableError(`The checkpoint is not signed by ${this.key.text}`, 'unsigned');
  }

  async #openTiles(before: OpenedCheckpoint | null, checkpoint: OpenedCheckpoint): Promise<AuthenticTiles> {
    const tiles = new AuthenticTiles(checkpoint, this.readPath);
    await tiles.readEdge();
    if (before === null || (await tiles.rootAt(before.size)).equals(before.root)) return tiles;
    const message = `the tree of ${checkpoint.size} entries does not contain the one of ${before.size} entries`;
    throw new LogContradiction(message, { checkpoints: [before, checkpoint] });
  }
}

function refuseFork(before: OpenedCheckpoint, checkpoint: OpenedCheckpoint): void {
  const checkpoints = [before, checkpoint];
  if (checkpoint.size < before.size) {
    const message = `the log had ${before.size} entries, and now has ${checkpoint.size}`;
    throw new LogContradiction(message, { checkpoints });
  }
  if (checkpoint.size > before.size || checkpoint.root.equals(before.root)) return;
  const message = `two checkpoints of ${before.size} entries have different roots`;
  throw new LogContradiction(message, { checkpoints });
}

/**
 * Tiles of a log, verified up to the root of a checkpoint: the partial ones at the right edge make the root, and every
 * full one is a hash in the tile above it. Keeps the edge and the last full tile of each level.
 */
class AuthenticTiles {
  readonly #edge = new Map<number, Buffer>();
  readonly #full = new Map<number, { n: number; tile: Promise<Buffer> }>();

  constructor(
    readonly checkpoint: OpenedCheckpoint,
    private readonly readPath: ReadPath,
  ) {}

  async readEdge(): Promise<void> {
    const { size, root } = this.checkpoint;
    const edge = await readEdge(size, async (level, n, width) => {
      const { bytes, ...read } = await this.#fetch({ level, n, width }, TILE_BYTES);
      if (bytes.length !== read.width * HASH_BYTES) throw this.#unfit(read.path, bytes);
      this.#edge.set(level, bytes.subarray(0, width * HASH_BYTES));
      return bytes;
    });
    if (rootOf(edge).equals(root)) return;
    throw this.#contradiction(
      `the tiles at the right edge of ${size} entries have another root than the checkpoint`,
    );
  }

  /** Root of the first `size` entries of this tree. */
  async rootAt(size: number): Promise<Buffer> {
    return rootOf(await readEdge(size, (level, n) => this.#tile(level, n)));
  }

  /** The entries of a bundle, as many as the tree has. */
  async readBundle(n: number): Promise<readonly Buffer[]> {
    const hashes = splitHashes(await this.#tile(0, n));
    const place = { level: 'entries' as const, n, width: hashes.length };
    const { path, width, bytes } = await this.#fetch(place, MAX_BUNDLE_BYTES);
    const entries = readBundle(bytes, width)?.slice(0, hashes.length);
    if (entries === undefined) throw this.#contradiction(`${path} is no bundle of entries`, { path, bytes });
    const wrong = entries.findIndex((entry, index) => !hashes[index]?.equals(hashLeaf(entry)));
    if (wrong === -1) return entries;
    const what = `entry ${n * TILE_WIDTH + wrong} in ${path} is not the one in the tree of the checkpoint`;
    throw this.#contradiction(what, { path, bytes });
  }

  /** Hashes of a tile, as many as the tree has. */
  #tile(level: number, n: number): Promise<Buffer> {
    const edge = this.#edge.get(level);
    if (edge !== undefined && n === hashesAt(this.checkpoint.size, level + 1)) return Promise.resolve(edge);
    const kept = this.#full.get(level);
    if (kept?.n === n) return kept.tile;
    const tile = this.#readFull(level, n);
    this.#full.set(level, { n, tile });
    tile.catch(() => this.#full.delete(level));
    return tile;
  }

  async #readFull(level: number, n: number): Promise<Buffer> {
    const above = await this.#tile(level + 1, Math.floor(n / TILE_WIDTH));
    const { path, bytes } = await this.#fetch({ level, n, width: TILE_WIDTH }, TILE_BYTES);
    const hash = splitHashes(above)[n % TILE_WIDTH];
    if (bytes.length === TILE_BYTES && hash?.equals(hashPerfect(splitHashes(bytes))) === true) return bytes;
    throw this.#unfit(path, bytes);
  }

  /** Reads a tile or bundle. A partial one may have been replaced by the full one. */
  async #fetch(place: TilePlace, maxBytes: number): Promise<ServedBytes & { width: number }> {
    for (const width of new Set([place.width, TILE_WIDTH])) {
      const path = tilePath({ ...place, width });
      const bytes = await this.readPath(path, maxBytes).catch((error: unknown) => {
        throw isTooLarge(error) ? this.#contradiction(`${path} is longer than it can be`) : error;
      });
      if (bytes !== null) return { path, width, bytes };
    }
    const size = `the checkpoint of ${this.checkpoint.size} entries`;
    throw new UnavailableError(`${tilePath(place)} is part of ${size}, and is not served`, 'status');
  }

  #unfit(path: string, bytes: Buffer): LogContradiction {
    return this.#contradiction(`${path} is not part of the tree of the checkpoint`, { path, bytes });
  }

  #contradiction(message: string, served?: ServedBytes): LogContradiction {
    const about = served === undefined ? {} : { served };
    return new LogContradiction(message, { checkpoints: [this.checkpoint], ...about });
  }
}

/** An entry, and the state of the record it names. */
export interface CheckedEntry {
  index: number;
  bytes: Buffer;
  /** `null`: an entry of another form than a key notary's. */
  entry: ReadKeyEntry | null;
  record: 'verified' | 'deleted' | 'left_out' | { refused: string; served?: ServedBytes };
}

/** As many concurrent requests as a browser sends to one server. */
const MAX_CONNECTIONS = 6;
/** The canonical form may be larger than what was published. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Fetches the records of wanted servers that entries name, and checks them. Rejects with `UnavailableError`. */
export async function checkEntries(
  { from, entries }: ReadEntries,
  readPath: ReadPath,
  isWanted: (serverName: string) => boolean,
): Promise<CheckedEntry[]> {
  const checked: CheckedEntry[] = [];
  const waiting = entries.entries();
  const work = async (): Promise<void> => {
    for (const [offset, bytes] of waiting) {
      const entry = readKeyEntry(bytes);
      const isLeftOut = entry === null || !isWanted(entry.serverName);
      const record = isLeftOut ? 'left_out' : await checkRecord(bytes, entry, readPath);
      checked[offset] = { index: from + offset, bytes, entry, record };
    }
  };
  await Promise.all(Array.from({ length: MAX_CONNECTIONS }, work));
  return checked;
}

async function checkRecord(
  bytes: Buffer,
  entry: ReadKeyEntry,
  readPath: ReadPath,
): Promise<CheckedEntry['record']> {
  const path = `record/${entry.recordSha256}`;
  try {
    const record = await readPath(path, MAX_RECORD_BYTES);
    if (record === null) return 'deleted';
    const refused = whyRecordRefused(bytes, entry, record);
    return refused === null ? 'verified' : { refused, served: { path, bytes: record } };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return { refused: 'too_large' };
  }
}
