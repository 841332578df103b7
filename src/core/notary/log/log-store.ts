import { Buffer } from 'node:buffer';
import {
  HASH_BYTES,
  openCheckpoint,
  readEdge,
  rootOf,
  type LogKey,
  type TreeEdge,
  encodeKeyEntry,
  type KeyEntryEvent,
} from '@vidimus/tlog';

import type { Db, DbTransaction, OpenTransaction } from '../../store/db.js';
import { insertRows } from '../../store/hot-sql.js';
import type { Clock } from '../../base/clock.js';
import { KEY_CHANGES, type KeyEventDraft } from '../keys/key-changes.js';
import type { FetchedRecord } from '../key-record/record-signing.js';

/** Path of the log on listeners, without trailing slash (SPEC §4.15). */
export function logPath(pathPrefix: string): string {
  return `${pathPrefix}/vidimus/v1/log`;
}

/** The log as it was last signed, and its queue. */
export interface LogState {
  verifierKey: string;
  size: number;
  /** The signed note. */
  checkpoint: string;
  /** When it was signed, POSIX ms. */
  signedTs: number;
  /** Row of key_record up to which all have been entered. */
  checkedId: number;
  /** When the oldest queued entry was queued, POSIX ms; `null`: the queue is empty. */
  oldestTs: number | null;
  /** The last checkpoint that enough witnesses have cosigned, with their lines; `null`: none yet. */
  witnessed: { size: number; note: string } | null;
}

/** `null` before the first start with a log. */
export async function readLogState({ logState, logQueue }: Db | DbTransaction): Promise<LogState | null> {
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

/** The stored log contradicts what was signed. It must not be signed any further. */
export class LogDamage extends Error {}

/** Hashes of a tile, at least `width` of them. Throws `LogDamage`. */
export async function readTile(
  { logTile }: Db | DbTransaction,
  { level, n, width }: { level: number; n: number; width: number },
): Promise<Buffer> {
  const row = await logTile.findFirst({ where: { level, n } });
  // Another instance may have made it larger since the checkpoint was read; the hashes of then stay in front.
  if (row === null || row.hashes.length < width * HASH_BYTES)
    throw new LogDamage(`the tile ${level}/${n} has less than ${width} hashes`);
  return asBuffer(row.hashes);
}

/** The edge of the stored tree. Throws `LogDamage` when the checkpoint is not ours, or not of these tiles. */
export async function readSignedEdge(
  client: Db | DbTransaction,
  state: LogState,
  key: LogKey,
): Promise<TreeEdge> {
  const checkpoint = openCheckpoint(state.checkpoint, key.verifier);
  if (checkpoint === null) throw new LogDamage('the last checkpoint does not bear the signature of our key');
  const { size, root } = checkpoint;
  if (size !== state.size) throw new LogDamage(`the last checkpoint is about ${size} entries`);
  const edge = await readEdge(size, (level, n, width) => readTile(client, { level, n, width }));
  if (rootOf(edge).equals(root)) return edge;
  throw new LogDamage(`the stored tiles have another root than the checkpoint of ${size} entries`);
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
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
