import { Buffer } from 'node:buffer';
import {
  HASH_BYTES,
  TILE_WIDTH,
  hashesAt,
  levelsOf,
  readCheckpoint,
  rootOf,
  type LogKey,
  type TreeEdge,
  encodeKeyEntry,
  type KeyEntryEvent,
} from '@vidimus/tlog';

import type { Database, Db, DbTransaction, OpenTransaction } from '../../store/db.js';
import { holdLogState, insertRows } from '../../store/hot-sql.js';
import { createOnce } from '../../store/store-errors.js';
import type { Clock } from '../../base/clock.js';
import { KEY_CHANGES, type KeyEventDraft } from '../keys/key-changes.js';
import type { FetchedRecord } from '../key-record/record-signing.js';

/** The log as it was last signed, and what waits for it. */
export interface LogState {
  verifierKey: string;
  size: number;
  /** The signed note. */
  checkpoint: string;
  /** When it was signed, POSIX ms. */
  signedTs: number;
  /** Row of key_record up to which all have been entered. */
  checkedId: number;
  /** When the first of what waits was queued, POSIX ms; `null`: nothing waits. */
  oldestTs: number | null;
  /** The last checkpoint that enough witnesses have cosigned, with their lines; `null`: none yet. */
  witnessed: { size: number; note: string } | null;
}

/** An entry with its place. */
export interface StoredEntry {
  seq: number;
  entry: Buffer;
}

/** Rows of the log, as they are read. */
export class LogStore {
  constructor(private readonly database: Database) {}

  /** `null` before the first start with a log. */
  readState(): Promise<LogState | null> {
    return readState(this.database.client);
  }

  /** Begins the log, unless there is one. */
  async create(verifierKey: string, checkpoint: string, nowTs: number): Promise<void> {
    if ((await this.readState()) !== null) return;
    const data = { id: 1, verifierKey, size: 0, checkpoint, signedTs: BigInt(nowTs) };
    await createOnce(() => this.database.client.logState.create({ data }));
  }

  /** Hashes of a tile as far as it has grown; `null`: there is none. */
  readTile(level: number, n: number): Promise<Buffer | null> {
    return readTile(this.database.client, level, n);
  }

  /** Entries in order; fewer where the log ends. */
  async readEntries(from: number, count: number): Promise<Buffer[]> {
    const rows = await this.database.client.logEntry.findMany({
      where: { seq: { gte: from, lt: from + count } },
      orderBy: { seq: 'asc' },
      select: { entry: true },
    });
    return rows.map(({ entry }) => asBuffer(entry));
  }

  /** The latest entry about a record in a log of `size` entries. */
  async findEntry(recordSha256: Buffer, size: number): Promise<StoredEntry | null> {
    const row = await this.database.client.logEntry.findFirst({
      where: { recordSha256: new Uint8Array(recordSha256), seq: { lt: size } },
      orderBy: { seq: 'desc' },
    });
    return row === null ? null : { seq: row.seq, entry: asBuffer(row.entry) };
  }

  /** SHA-256 (hex) of the newest record that lists the key ID. */
  async findRecordOfKey(serverName: string, keyId: string): Promise<string | null> {
    const row = await this.database.client.verifyKey.findFirst({
      where: { serverName, keyId },
      select: { record: { select: { sha256: true } } },
    });
    return row?.record.sha256 ?? null;
  }

  /** A record as published; `null` when it has been deleted. */
  async findRecord(serverName: string, sha256: string): Promise<Buffer | null> {
    const row = await this.database.client.keyRecord.findFirst({ where: { serverName, sha256 } });
    return row === null ? null : asBuffer(row.published);
  }
}

/** Locks the log until the transaction ends. `null`: another instance has it. */
export async function holdLog(tx: DbTransaction, engine: Database['engine']): Promise<LogState | null> {
  // On SQLite a transaction has the write lock.
  if (engine === 'postgresql' && !(await holdLogState(tx))) return null;
  return readState(tx);
}

/** The same as `LogStore.readTile`, inside the caller's transaction. */
export async function readTile(
  { logTile }: Db | DbTransaction,
  level: number,
  n: number,
): Promise<Buffer | null> {
  const row = await logTile.findFirst({ where: { level, n } });
  return row === null ? null : asBuffer(row.hashes);
}

async function readState({ logState, logQueue }: Db | DbTransaction): Promise<LogState | null> {
  const row = await logState.findFirst({ where: { id: 1 }, omit: { cosignatures: true } });
  if (row === null) return null;
  const oldest = await logQueue.findFirst({ orderBy: { id: 'asc' }, select: { queuedTs: true } });
  const { verifierKey, size, checkpoint, signedTs, checkedId, witnessed, witnessedSize } = row;
  return {
    verifierKey,
    size,
    checkpoint,
    signedTs: Number(signedTs),
    checkedId,
    oldestTs: oldest === null ? null : Number(oldest.queuedTs),
    witnessed: witnessed === null ? null : { size: witnessedSize, note: witnessed },
  };
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Path of the log on listeners, without trailing slash (SPEC §4.15). */
export function logPath(pathPrefix: string): string {
  return `${pathPrefix}/vidimus/v1/log`;
}

/** What is stored of the log contradicts what was signed. It must not be signed any further. */
export class LogDamage extends Error {}

/** The edge of the stored tree. Throws `LogDamage` when the checkpoint is not ours, or not of these tiles. */
export async function readSignedEdge(
  client: Db | DbTransaction,
  state: LogState,
  key: LogKey,
): Promise<TreeEdge> {
  const text = key.openNote(state.checkpoint);
  const checkpoint = text === null ? null : readCheckpoint(text);
  if (checkpoint === null) throw new LogDamage('the last checkpoint does not bear the signature of our key');
  const { size, origin, root } = checkpoint;
  if (size !== state.size || origin !== key.origin) {
    throw new LogDamage(`the last checkpoint is about ${size} entries of ${origin}`);
  }
  const partial: Buffer[][] = [];
  for (let level = 0; level < levelsOf(size); level += 1)
    partial.push(await readPartial(client, level, size));
  const edge = { size, partial };
  if (!rootOf(edge).equals(root)) {
    throw new LogDamage(`the stored tiles have another root than the checkpoint of ${size} entries`);
  }
  return edge;
}

async function readPartial(client: Db | DbTransaction, level: number, size: number): Promise<Buffer[]> {
  const hashes = hashesAt(size, level);
  const width = hashes % TILE_WIDTH;
  if (width === 0) return [];
  const tile = await readTile(client, level, Math.floor(hashes / TILE_WIDTH));
  // Another instance may have made it larger since the checkpoint was read; what it had then stays in front.
  if (tile === null || tile.length < width * HASH_BYTES) {
    throw new LogDamage(`the last tile of level ${level} has less than ${width} hashes`);
  }
  return Array.from({ length: width }, (_, index) =>
    tile.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

/** A record that was saved, and what it changed. */
export interface LogDraft extends FetchedRecord {
  /** Whether it had not been stored before. */
  isNew: boolean;
  events: readonly KeyEventDraft[];
}

/** Entries between the transaction that saves their record and the log. */
export class LogQueue {
  /** Called once a transaction that added entries is committed. */
  onCommitted: () => void = () => undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * Adds an entry for each record whose bytes are new and for each that changed what a key ID means, inside the
   * transaction that saves them: what is served is in the queue or in the log.
   */
  async add({ tx, onCommitted }: OpenTransaction, drafts: readonly LogDraft[]): Promise<void> {
    const queuedTs = BigInt(this.clock.now());
    const data = drafts.flatMap((draft) => {
      const event = eventOf(draft);
      if (event === null) return [];
      const { serverName, sha256, record } = draft.record;
      const about = { event, serverName, recordSha256: sha256, observedTs: draft.fetchedTs };
      const entry = new Uint8Array(encodeKeyEntry(about, record));
      return [{ recordSha256: new Uint8Array(Buffer.from(sha256, 'hex')), entry, queuedTs }];
    });
    if (data.length === 0) return;
    await insertRows(tx, { table: 'log_queue' }, data);
    onCommitted(() => this.onCommitted());
  }
}

/** `null`: nothing that the log does not say already. */
function eventOf({ isNew, events }: LogDraft): KeyEntryEvent | null {
  if (events.some(({ kind }) => kind === 'server_first_seen')) return 'server_first_seen';
  if (events.some(({ kind }) => KEY_CHANGES.has(kind))) return 'keys_changed';
  return isNew ? 'record' : null;
}
