import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  EMPTY_ROOT,
  HASH_BYTES,
  hashesAt,
  isWithin,
  type LogKey,
  proveConsistency,
  proveInclusion,
  readKeyEntry,
  type ReadTile,
  signCheckpoint,
  TILE_WIDTH,
  type TilePlace,
  type VerifierKey,
  writeBundle,
  writeProof,
} from '@vidimus/tlog';
import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import { encodeCanonicalJsonBytes } from '../../base/json/json-value.js';
import { parseStrictJson, STORED_JSON } from '../../base/json/strict-json.js';
import type { Logger } from '../../base/logger.js';
import type { Database } from '../../store/db.js';
import { createOnce } from '../../store/store-errors.js';
import { asBuffer, LogDamage, type LogState, readLogState, readSignedEdge, readTile } from './log-store.js';

/** What it is built from. */
export interface PublishedLogOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  key: LogKey;
  /** Memory for tiles and bundles. */
  cacheBytes: number;
  /** Lines of witnesses below the checkpoint of a size; absent: there are no witnesses. */
  cosignaturesOf?: ((size: number) => Promise<string>) | undefined;
}

/** Of a bundle in one turn of the event loop: an entry may have 64 kB. */
const ENTRIES_AT_ONCE = 8;
/** Instances learn of each other's checkpoints when they are asked for them, this often at most. */
const FRESH_MS = 1000;

/**
 * The log as others see it: the last checkpoint that is durable, and what it commits to. All readers refuse with
 * `null` what lies beyond that.
 */
export class PublishedLog {
  /** Tiles and bundles; several requests for one that is being read wait for the same read. */
  readonly #tiles: LRUCache<string, Buffer, TilePlace>;
  #damage: string | null = null;
  #state: LogState;
  /** Below the checkpoint of that state, and of no other. */
  #cosignatures = '';
  #refreshedMs = -Infinity;

  private constructor(
    private readonly options: PublishedLogOptions,
    state: LogState,
  ) {
    this.#tiles = new LRUCache({
      maxSize: options.cacheBytes,
      sizeCalculation: (bytes) => bytes.length + HASH_BYTES,
      ignoreFetchAbort: true,
      fetchMethod: (_name, _stale, { context }) => this.#readStored(context),
    });
    this.#state = state;
  }

  /**
   * Opens the log of the store, or begins it. Stored tiles that are not those of the last checkpoint are no reason to
   * reject: `damage` says so then, and nothing is appended any more.
   */
  static async open(options: PublishedLogOptions): Promise<PublishedLog> {
    const { database, key } = options;
    const state = (await readLogState(database.client)) ?? (await beginLog(options));
    await database.sync();
    const log = new PublishedLog(options, state);
    await log.watchingDamage(() => readSignedEdge(database.client, state, key));
    await log.refresh();
    return log;
  }

  /** Why the log has been stopped; `null`: it has not. */
  get damage(): string | null {
    return this.#damage;
  }

  get verifierKey(): VerifierKey {
    return this.options.key.verifier;
  }

  get size(): number {
    return this.#state.size;
  }

  /** The signed note, as it is served: with the cosignatures it has by now. */
  get checkpoint(): string {
    return this.#state.checkpoint + this.#cosignatures;
  }

  /** The same as we signed it, with its size and time (POSIX ms). */
  get signed(): { size: number; checkpoint: string; signedTs: number } {
    return this.#state;
  }

  /** The last checkpoint that enough witnesses have cosigned; `null`: none yet. */
  get witnessed(): LogState['witnessed'] {
    return this.#state.witnessed;
  }

  /** How long the first of what waits has been waiting, ms; 0: nothing waits. */
  get mergeDelayMs(): number {
    const { oldestTs } = this.#state;
    return oldestTs === null ? 0 : Math.max(0, this.options.clock.now() - oldestTs);
  }

  /** Bytes of tiles and bundles in memory. */
  get cachedBytes(): number {
    return this.#tiles.calculatedSize;
  }

  /** Does what may find the log damaged; that stops it, with one line. Other errors are passed on. */
  async watchingDamage<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LogDamage)) throw error;
      this.stop(error.message);
      return null;
    }
  }

  /** Learns what other instances have signed. A store that is away leaves what is known. */
  async keepFresh(): Promise<void> {
    const isOld = performance.now() - this.#refreshedMs > FRESH_MS;
    if (this.options.database.isShared && isOld) await this.refresh().catch(() => undefined);
  }

  /** Publishes what has been signed meanwhile, here or by another instance, once it is durable. */
  async refresh(): Promise<LogState> {
    const before = this.#state;
    this.#refreshedMs = performance.now();
    const state = await readLogState(this.options.database.client);
    const isOther = state?.size === before.size && state.checkpoint !== before.checkpoint;
    if (state === null || state.size < before.size || isOther) {
      const has = isOther ? 'a different checkpoint of them' : (state?.size ?? 'none');
      this.stop(`${before.size} entries have been published, but the database has ${has}`);
      return before;
    }
    if (state.size > before.size) await this.options.database.sync();
    const cosignatures = await this.options.cosignaturesOf?.(state.size);
    if (state.size < this.#state.size) return state;
    this.#state = state;
    this.#cosignatures = cosignatures ?? '';
    return state;
  }

  /** Bytes of a tile or entry bundle; `null`: it is not part of what has been published. */
  async readTile(place: TilePlace): Promise<Buffer | null> {
    return (await this.#tiles.fetch(nameOf(place), { context: place })) ?? null;
  }

  async #readStored(place: TilePlace): Promise<Buffer | undefined> {
    if (!(await this.#covers(place))) return undefined;
    const { level, n, width } = place;
    if (level === 'entries') return this.#readBundle(n, width);
    const tile = await readTile(this.options.database.client, { level, n, width });
    return Buffer.from(tile.subarray(0, width * HASH_BYTES));
  }

  async #readBundle(n: number, width: number): Promise<Buffer> {
    const { logEntry } = this.options.database.client;
    const parts: Buffer[] = [];
    const [first, end] = [n * TILE_WIDTH, n * TILE_WIDTH + width];
    for (let from = first; from < end; from += ENTRIES_AT_ONCE) {
      const to = Math.min(from + ENTRIES_AT_ONCE, end);
      const where = { seq: { gte: from, lt: to } };
      const rows = await logEntry.findMany({ where, orderBy: { seq: 'asc' }, select: { entry: true } });
      if (rows.length < to - from) throw new Error(`the log has lost entries of the bundle ${n}`);
      parts.push(writeBundle(rows.map(({ entry }) => asBuffer(entry))));
      await nextTurn();
    }
    const bundle = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    // As many bytes as a bundle may have take several milliseconds to copy.
    for (const part of parts) {
      at += part.copy(bundle, at);
      await nextTurn();
    }
    return bundle;
  }

  /** The canonical form of a record that the log names by its SHA-256 (hex); `null`: none, or deleted since. */
  async readRecord(sha256: string): Promise<Buffer | null> {
    const found = await this.#findEntry(sha256);
    const serverName = found === null ? undefined : readKeyEntry(asBuffer(found.entry))?.serverName;
    if (serverName === undefined) return null;
    const row = await this.options.database.client.keyRecord.findFirst({ where: { serverName, sha256 } });
    return row === null ? null : encodeCanonicalJsonBytes(parseStrictJson(row.published, STORED_JSON));
  }

  /** Proof of the latest entry about a record, by the last witnessed checkpoint where that covers it. */
  async proveRecord(sha256: string): Promise<string | null> {
    const found = await this.#findEntry(sha256);
    if (found === null) return null;
    const { seq: index } = found;
    const { witnessed } = this;
    const isWitnessed = witnessed !== null && index < witnessed.size;
    const { size, note: checkpoint } = isWitnessed ? witnessed : { size: this.size, note: this.checkpoint };
    const hashes = await proveInclusion(index, size, this.#readHashes);
    return writeProof({ index, entry: asBuffer(found.entry), hashes, checkpoint });
  }

  /** Proof of the newest record that lists a key ID. */
  async proveKey(serverName: string, keyId: string): Promise<string | null> {
    // PostgreSQL knows no text with a null character.
    if (`${serverName}${keyId}`.includes('\0')) return null;
    const row = await this.options.database.client.verifyKey.findFirst({
      where: { serverName, keyId },
      select: { record: { select: { sha256: true } } },
    });
    return row === null ? null : this.proveRecord(row.record.sha256);
  }

  /** The latest published entry about a record. */
  #findEntry(sha256: string) {
    const recordSha256 = new Uint8Array(Buffer.from(sha256, 'hex'));
    return this.options.database.client.logEntry.findFirst({
      where: { recordSha256, seq: { lt: this.size } },
      orderBy: { seq: 'desc' },
    });
  }

  /** Consistency proof from the first `from` entries to the first `size`, both of them published. */
  proveConsistency(from: number, size: number): Promise<Buffer[]> {
    return proveConsistency(from, size, this.#readHashes);
  }

  /** A tile as wide as it has been published: every proof reads the same ones. */
  readonly #readHashes: ReadTile = async (level, n) => {
    const width = Math.min(TILE_WIDTH, hashesAt(this.size, level) - n * TILE_WIDTH);
    const tile = await this.readTile({ level, n, width });
    if (tile === null) throw new LogDamage(`the tile ${level}/${n} has less than ${width} hashes`);
    return tile;
  };

  /** Whether it has been published; behind a balancer another instance may know more already. */
  async #covers(place: TilePlace): Promise<boolean> {
    if (isWithin(place, this.size)) return true;
    return this.options.database.isShared && isWithin(place, (await this.refresh()).size);
  }

  /** Nothing is appended or served any more; says so with one line. */
  stop(why: string): void {
    if (this.#damage === null) this.options.logger.error({ why }, 'the log has been stopped: it is damaged');
    this.#damage = why;
  }
}

async function beginLog({ database, key, clock }: PublishedLogOptions): Promise<LogState> {
  const { client } = database;
  const checkpoint = signCheckpoint(key, { size: 0, root: EMPTY_ROOT });
  const data = { id: 1, verifierKey: key.verifierKey, size: 0, checkpoint, signedTs: BigInt(clock.now()) };
  await createOnce(() => client.logState.create({ data }));
  const state = await readLogState(client);
  if (state === null) throw new Error('the log has no state');
  return state;
}

const nameOf = ({ level, n, width }: TilePlace): string => `${level}/${n}/${width}`;
