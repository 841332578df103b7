import type { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';

import { openCheckpoint, type OpenedCheckpoint } from './checkpoint.js';
import { UnavailableError, isTooLarge, type ReadPath } from './io.js';
import { readKeyEntry, whyRecordRefused, type ReadKeyEntry } from './key-entry.js';
import type { VerifierKey } from './note.js';
import { MAX_BUNDLE_BYTES, TILE_WIDTH, hashesAt, readBundle, tilePath, type TilePlace } from './tiles.js';
import { HASH_BYTES, hashLeaf, hashTree, readEdge, rootOf, splitHashes } from './tree.js';

export { remoteLog, type ReadPath } from './io.js';

/** An answer of a log. */
export interface ServedBytes {
  path: string;
  bytes: Buffer;
}

/** A log has contradicted something it has signed: it must not be followed any further. */
export class LogContradiction extends Error {
  /** Signed checkpoints, older first, and an answer, which contradict each other. */
  constructor(
    message: string,
    readonly checkpoints: readonly OpenedCheckpoint[],
    readonly served: ServedBytes | null = null,
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
/** A smaller checkpoint is read again after these delays: another instance, or a cache, may be behind. */
const PATIENCE_MS = [1000, 2000, 4000, 8000];

/** Follows another server's log, and believes only what its signed checkpoints prove. */
export class LogFollower {
  #tiles: AuthenticTiles | null = null;

  constructor(
    private readonly key: VerifierKey,
    readonly readPath: ReadPath,
    public followed: FollowedLog = { checkpoint: null, read: 0 },
    private readonly patienceMs: readonly number[] = PATIENCE_MS,
  ) {}

  /**
   * Fetches the checkpoint and proves that the log has only grown since the last one. Throws `LogContradiction` when it
   * has not, and `UnavailableError` when it cannot be read.
   */
  async look(): Promise<OpenedCheckpoint> {
    const { checkpoint: before, read } = this.followed;
    let checkpoint = await this.#readCheckpoint();
    for (const waitMs of this.patienceMs) {
      if (checkpoint.size >= (before?.size ?? 0)) break;
      await setTimeout(waitMs);
      checkpoint = await this.#readCheckpoint();
    }
    const fork = before === null ? null : forkOf(before, checkpoint);
    if (before !== null && fork !== null) throw new LogContradiction(fork, [before, checkpoint]);
    if (before === null || read < checkpoint.size) {
      this.#tiles = new AuthenticTiles(checkpoint, this.readPath);
      await this.#tiles.readEdge();
      if (before !== null) await this.#tiles.refuseOther(before);
    }
    this.followed = { checkpoint, read };
    return checkpoint;
  }

  /**
   * Every entry that has not been read, each verified against the checkpoint; they count as read at once, so store how
   * far the log was followed when they are processed. Throws as `look`.
   */
  async *entries(): AsyncGenerator<ReadEntries> {
    const { checkpoint, read } = this.followed;
    for (let from = read; this.#tiles !== null && from < (checkpoint?.size ?? 0); from = this.followed.read) {
      const bundle = await this.#tiles.readBundle(Math.floor(from / TILE_WIDTH));
      const entries = bundle.slice(from % TILE_WIDTH);
      this.followed = { checkpoint, read: from + entries.length };
      yield { from, entries };
    }
  }

  async #readCheckpoint(): Promise<OpenedCheckpoint> {
    const bytes = await this.readPath('checkpoint', MAX_CHECKPOINT_BYTES);
    if (bytes === null) throw new UnavailableError('There is no checkpoint', 'status');
    const checkpoint = openCheckpoint(bytes.toString(), this.key);
    if (checkpoint !== null) return checkpoint;
    throw new UnavailableError(`The checkpoint is not signed by ${this.key.text}`, 'unsigned');
  }
}

function forkOf(before: OpenedCheckpoint, { size, root }: OpenedCheckpoint): string | null {
  if (size < before.size) return `the log had ${before.size} entries, and now has ${size}`;
  if (size > before.size || root.equals(before.root)) return null;
  return `two checkpoints of ${size} entries have different roots`;
}

/**
 * Tiles of a log, verified up to the root of a checkpoint: the partial ones at the right edge make the root, and every
 * full one is a hash in the tile above it. Keeps the edge and the last full tile of each level.
 */
class AuthenticTiles {
  readonly #edge = new Map<number, Buffer>();
  readonly #full = new Map<number, { n: number; tile: Buffer }>();

  constructor(
    private readonly checkpoint: OpenedCheckpoint,
    private readonly readPath: ReadPath,
  ) {}

  async readEdge(): Promise<void> {
    const { size, root } = this.checkpoint;
    const edge = await readEdge(size, async (level, n, width) => {
      const served = await this.#fetch({ level, n, width }, TILE_BYTES);
      if (served.bytes.length !== served.width * HASH_BYTES)
        throw this.#contradiction('not part of the tree', served);
      this.#edge.set(level, served.bytes.subarray(0, width * HASH_BYTES));
      return served.bytes;
    });
    if (!rootOf(edge).equals(root))
      throw this.#contradiction(`the last tiles of ${size} entries have another root`);
  }

  /** Throws unless this tree begins with the one of an older checkpoint. */
  async refuseOther(older: OpenedCheckpoint): Promise<void> {
    const edge = await readEdge(older.size, (level, n) => this.#tile(level, n));
    if (rootOf(edge).equals(older.root)) return;
    const message = `the tree of ${this.checkpoint.size} entries does not contain the one of ${older.size} entries`;
    throw new LogContradiction(message, [older, this.checkpoint]);
  }

  /** The entries of a bundle, as many as the tree has. */
  async readBundle(n: number): Promise<readonly Buffer[]> {
    const hashes = splitHashes(await this.#tile(0, n));
    const served = await this.#fetch({ level: 'entries', n, width: hashes.length }, MAX_BUNDLE_BYTES);
    const entries = readBundle(served.bytes, served.width)?.slice(0, hashes.length);
    if (entries === undefined) throw this.#contradiction('no bundle of entries', served);
    const wrong = entries.findIndex((entry, index) => !hashes[index]?.equals(hashLeaf(entry)));
    if (wrong === -1) return entries;
    throw this.#contradiction(`entry ${n * TILE_WIDTH + wrong} is not the one in the tree`, served);
  }

  /** Hashes of a tile, as many as the tree has. */
  async #tile(level: number, n: number): Promise<Buffer> {
    const edge = this.#edge.get(level);
    if (edge !== undefined && n === hashesAt(this.checkpoint.size, level + 1)) return edge;
    const kept = this.#full.get(level);
    if (kept?.n === n) return kept.tile;
    const above = splitHashes(await this.#tile(level + 1, Math.floor(n / TILE_WIDTH)));
    const served = await this.#fetch({ level, n, width: TILE_WIDTH }, TILE_BYTES);
    const { bytes: tile } = served;
    const isFull = tile.length === TILE_BYTES;
    if (!isFull || !above[n % TILE_WIDTH]?.equals(hashTree(splitHashes(tile))))
      throw this.#contradiction('not part of the tree', served);
    this.#full.set(level, { n, tile });
    return tile;
  }

  /** Reads a tile or bundle. A partial one may have been replaced by the full one. */
  async #fetch(place: TilePlace, maxBytes: number): Promise<ServedBytes & { width: number }> {
    for (const width of new Set([place.width, TILE_WIDTH])) {
      const path = tilePath({ ...place, width });
      const bytes = await this.readPath(path, maxBytes).catch((error: unknown) => {
        throw isTooLarge(error) ? this.#contradiction(`${path} is too long`) : error;
      });
      if (bytes !== null) return { path, bytes, width };
    }
    const size = `the checkpoint of ${this.checkpoint.size} entries`;
    throw new UnavailableError(`${tilePath(place)} is part of ${size}, and is not served`, 'status');
  }

  #contradiction(what: string, served: ServedBytes | null = null): LogContradiction {
    const message = served === null ? what : `${served.path}: ${what}`;
    return new LogContradiction(`${message}, against the checkpoint`, [this.checkpoint], served);
  }
}

/** An entry, and the state of the record it names. */
export interface CheckedEntry {
  index: number;
  bytes: Buffer;
  /** `null`: an entry of another form than a key notary's. */
  entry: ReadKeyEntry | null;
  verdict: Verdict;
}

type Verdict =
  | { state: 'foreign' | 'left_out' | 'deleted' | 'verified' }
  | { state: 'refused'; why: string; served: ServedBytes | null };

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
  const check = async (bytes: Buffer): Promise<Omit<CheckedEntry, 'index'>> => {
    const entry = readKeyEntry(bytes);
    if (entry === null) return { bytes, entry, verdict: { state: 'foreign' } };
    const isLeftOut = !isWanted(entry.serverName);
    const verdict = isLeftOut ? { state: 'left_out' as const } : await checkRecord(bytes, entry, readPath);
    return { bytes, entry, verdict };
  };
  const checked: CheckedEntry[] = [];
  const waiting = entries.entries();
  const work = async (): Promise<void> => {
    for (const [index, bytes] of waiting) checked[index] = { index: from + index, ...(await check(bytes)) };
  };
  await Promise.all(Array.from({ length: MAX_CONNECTIONS }, work));
  return checked;
}

async function checkRecord(bytes: Buffer, entry: ReadKeyEntry, readPath: ReadPath): Promise<Verdict> {
  const path = `record/${entry.recordSha256}`;
  try {
    const record = await readPath(path, MAX_RECORD_BYTES);
    if (record === null) return { state: 'deleted' };
    const why = whyRecordRefused(bytes, entry, record);
    return why === null ? { state: 'verified' } : { state: 'refused', why, served: { path, bytes: record } };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return { state: 'refused', why: 'too_large', served: null };
  }
}
