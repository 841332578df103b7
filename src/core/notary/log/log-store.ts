import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { ENTRY_LENGTH_BYTES, TILE_WIDTH, type TilePlace } from '@vidimus/tlog';

import type { Database, Db, DbTransaction } from '../../store/db.js';
import { holdLogState, sumEntryBytes } from '../../store/hot-sql.js';
import { createOnce } from '../../store/store-errors.js';

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

  /** How many entries wait, `most` at most. */
  countWaiting(most: number): Promise<number> {
    return this.database.client.logQueue.count({ take: most });
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

  /** How long entries are together, without reading them. */
  entryBytes(from: number, count: number): Promise<number> {
    return sumEntryBytes(this.database.client, from, count);
  }

  /** SHA-256 (hex) of a stored record; `null`: it has been deleted. */
  async findRecordHash(id: number): Promise<string | null> {
    const row = await this.database.client.keyRecord.findFirst({ where: { id }, select: { sha256: true } });
    return row?.sha256 ?? null;
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

/** What is read in one turn of the event loop; the largest bundle has 16 MB. */
const BYTES_PER_TURN = 512 * 1024;
/** So many of the longest entries, of 64 kB. */
const ENTRIES_PER_TURN = 8;

/** How long a bundle is, before it is read. */
export async function bundleBytes(store: LogStore, { n, width }: TilePlace): Promise<number> {
  return (await store.entryBytes(n * TILE_WIDTH, width)) + width * ENTRY_LENGTH_BYTES;
}

/** Each entry with its length in front (C2SP tlog-tiles, "Log Entries"); of a long one a few in a turn of the event loop. */
export async function readBundle(store: LogStore, place: TilePlace): Promise<Buffer> {
  const { n, width } = place;
  const bundle = Buffer.allocUnsafe(await bundleBytes(store, place));
  const entriesPerTurn = bundle.length > BYTES_PER_TURN ? ENTRIES_PER_TURN : width;
  let at = 0;
  for (let read = 0; read < width; read += entriesPerTurn) {
    if (read > 0) await nextTurn();
    const count = Math.min(entriesPerTurn, width - read);
    for (const entry of await store.readEntries(n * TILE_WIDTH + read, count)) {
      at = bundle.writeUInt16BE(entry.length, at);
      at += entry.copy(bundle, at);
    }
  }
  if (at !== bundle.length) throw new Error(`the log has lost entries of the bundle ${n}`);
  return bundle;
}
