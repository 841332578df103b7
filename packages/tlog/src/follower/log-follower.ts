import type { Buffer } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';

import { UnavailableError } from '../http.js';
import { openCheckpoint, type OpenedCheckpoint } from '../notes/checkpoint.js';
import type { VerifierKey } from '../notes/verifier-key.js';
import { MAX_BUNDLE_BYTES, readBundle, TILE_WIDTH } from '../tree/tiles.js';
import { hashLeaf } from '../tree/hashes.js';
import { AuthenticTiles } from './authentic-tiles.js';
import { LogContradiction, readPlace, type ReadPath } from './read-place.js';

/** How far a log has been followed. */
export interface FollowedLog {
  /** The last one that was consistent with all before; `null`: none yet. */
  checkpoint: OpenedCheckpoint | null;
  /** Entries of it that have been read. */
  read: number;
}

/** What it is built from. */
export interface LogFollowerOptions {
  key: VerifierKey;
  readPath: ReadPath;
  followed: FollowedLog;
  /** How long a smaller checkpoint is asked for again, ms: another instance, or a cache, may be behind. */
  patienceMs?: readonly number[];
  /** Ends waiting. */
  signal?: AbortSignal;
}

/** New entries of the log, in order. */
export interface ReadEntries {
  from: number;
  entries: readonly Buffer[];
}

/** Signatures of some hundred witnesses included. */
const MAX_CHECKPOINT_BYTES = 65_536;
/** Bundles that are read ahead, each of 17 MB at most. */
const READ_AHEAD = 4;
const PATIENCE_MS = [1000, 2000, 4000, 8000];

/** Follows somebody else's log, and believes nothing of it that its signed checkpoints do not prove. */
export class LogFollower {
  #tiles: AuthenticTiles | null = null;
  #followed: FollowedLog;

  constructor(private readonly options: LogFollowerOptions) {
    this.#followed = options.followed;
  }

  get followed(): FollowedLog {
    return this.#followed;
  }

  /**
   * Fetches the checkpoint and proves that the log has only grown since the last one. Throws `LogContradiction` when it
   * has not, and `UnavailableError` when it cannot be read.
   */
  async look(): Promise<OpenedCheckpoint> {
    const { checkpoint: before, read } = this.#followed;
    const checkpoint = await this.#fetchCheckpoint(before?.size ?? 0);
    if (before !== null) refuseFork(before, checkpoint);
    const isRead = before?.size === checkpoint.size && read === checkpoint.size;
    if (!isRead && this.#tiles?.checkpoint.size !== checkpoint.size) {
      this.#tiles = await this.#openTiles(before, checkpoint);
    }
    this.#followed = { checkpoint, read };
    return checkpoint;
  }

  /** Every entry that has not been read, each found in the tree of the checkpoint. Throws as `look`. */
  async *entries(): AsyncGenerator<ReadEntries> {
    const tiles = this.#tiles;
    const size = this.#followed.checkpoint?.size ?? 0;
    if (tiles === null || this.#followed.read >= size) return;
    const ahead: Promise<readonly Buffer[]>[] = [];
    let next = Math.floor(this.#followed.read / TILE_WIDTH);
    while (this.#followed.read < size) {
      for (; ahead.length < READ_AHEAD && next * TILE_WIDTH < size; next += 1) {
        const reading = this.#readBundle(tiles, next);
        // Whoever reaches it gets the failure; before that nobody waits for it.
        reading.catch(() => undefined);
        ahead.push(reading);
      }
      const from = this.#followed.read;
      const entries = (await ahead.shift())?.slice(from % TILE_WIDTH) ?? [];
      yield { from, entries };
      // Not before they have been dealt with.
      this.#followed = { ...this.#followed, read: from + entries.length };
    }
  }

  /** The checkpoint as it is served now. One that is smaller than what was seen must be old, and go away. */
  async #fetchCheckpoint(seenSize: number): Promise<OpenedCheckpoint> {
    const { patienceMs = PATIENCE_MS, signal } = this.options;
    let checkpoint = await this.#readCheckpoint();
    for (const waitMs of patienceMs) {
      if (checkpoint.size >= seenSize) break;
      await setTimeout(waitMs, undefined, { signal });
      checkpoint = await this.#readCheckpoint();
    }
    return checkpoint;
  }

  async #readCheckpoint(): Promise<OpenedCheckpoint> {
    const { key, readPath } = this.options;
    const bytes = await readPath('checkpoint', MAX_CHECKPOINT_BYTES);
    const checkpoint = bytes === null ? null : openCheckpoint(bytes.toString(), key);
    if (checkpoint !== null) return checkpoint;
    if (bytes === null) throw new UnavailableError('There is no checkpoint', 'status');
    throw new UnavailableError(`The checkpoint is not signed by ${key.text}`, 'unsigned');
  }

  async #openTiles(before: OpenedCheckpoint | null, checkpoint: OpenedCheckpoint): Promise<AuthenticTiles> {
    const tiles = await AuthenticTiles.open(checkpoint, this.options.readPath);
    if (before === null || (await tiles.rootAt(before.size)).equals(before.root)) return tiles;
    const message = `the tree of ${checkpoint.size} entries does not contain the one of ${before.size} entries`;
    throw new LogContradiction(message, { checkpoints: [before, checkpoint] });
  }

  async #readBundle(tiles: AuthenticTiles, n: number): Promise<readonly Buffer[]> {
    const { checkpoint } = tiles;
    const hashes = await tiles.read(0, n);
    const place = { level: 'entries' as const, n, width: hashes.length };
    const { path, width, bytes } = await readPlace(this.options.readPath, checkpoint, {
      place,
      maxBytes: MAX_BUNDLE_BYTES,
    });
    const contradiction = { checkpoints: [checkpoint], served: { path, bytes } };
    const entries = readBundle(bytes, width)?.slice(0, hashes.length);
    if (entries === undefined) throw new LogContradiction(`${path} is no bundle of entries`, contradiction);
    const wrong = entries.findIndex((entry, index) => !hashes[index]?.equals(hashLeaf(entry)));
    if (wrong === -1) return entries;
    const message = `entry ${n * TILE_WIDTH + wrong} in ${path} is not the one in the tree of the checkpoint`;
    throw new LogContradiction(message, contradiction);
  }
}

function refuseFork(before: OpenedCheckpoint, checkpoint: OpenedCheckpoint): void {
  const checkpoints = [before, checkpoint];
  if (checkpoint.size < before.size) {
    const message = `the log had ${before.size} entries, and now has ${checkpoint.size}`;
    throw new LogContradiction(message, { checkpoints });
  }
  if (checkpoint.size === before.size && !checkpoint.root.equals(before.root)) {
    throw new LogContradiction(`two checkpoints of ${before.size} entries have different roots`, {
      checkpoints,
    });
  }
}
