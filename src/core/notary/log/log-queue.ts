import { setImmediate } from 'node:timers/promises';

import { encodeKeyEntry, type KeyEntryEvent } from '@vidimus/tlog';

import type { Clock } from '../../base/clock.js';
import { isJsonObject } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import type { DbTransaction, OpenTransaction } from '../../store/db.js';
import { insertRows } from '../../store/hot-sql.js';
import { KEY_CHANGES, type KeyEventDraft } from '../keys/key-changes.js';
import type { FetchedRecord } from '../keys/saving/record-rows.js';

/** A record that was saved, and what it changed. */
export interface LogDraft extends FetchedRecord {
  /** Whether it had not been stored before. */
  isNew: boolean;
  events: readonly KeyEventDraft[];
}

/** An entry that has no index yet. */
export interface NewEntry {
  /** SHA-256 of the canonical form of the record it is about. */
  recordSha256: Buffer;
  entry: Buffer;
}

const MAX_TAKEN = 2048;
const DELETED_AT_ONCE = 512;

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

/** Removes the oldest entries from the queue, inside the caller's transaction. */
export async function takeQueued({ logQueue }: DbTransaction): Promise<NewEntry[]> {
  const rows = await logQueue.findMany({ orderBy: { id: 'asc' }, take: MAX_TAKEN });
  // An earlier ID may be committed later, and must not be deleted unseen.
  for (let at = 0; at < rows.length; at += DELETED_AT_ONCE) {
    const ids = rows.slice(at, at + DELETED_AT_ONCE).map(({ id }) => id);
    await logQueue.deleteMany({ where: { id: { in: ids } } });
  }
  return rows.map((row) => ({ recordSha256: Buffer.from(row.recordSha256), entry: Buffer.from(row.entry) }));
}

/** `null`: nothing that the log does not say already. */
function eventOf({ isNew, events }: LogDraft): KeyEntryEvent | null {
  if (events.some(({ kind }) => kind === 'server_first_seen')) return 'server_first_seen';
  if (events.some(({ kind }) => KEY_CHANGES.has(kind))) return 'keys_changed';
  return isNew ? 'record' : null;
}

/** Records that are looked at together, to see whether the log has them. */
const MAX_CHECKED = 512;
/** Of them read at once; each may have 256 KiB. */
const MAX_READ = 32;

/**
 * Queues the records behind a row of key_record that are neither in the log nor in the queue, a portion of them, inside
 * the caller's transaction. `isEnd`: these were the last ones.
 */
export async function queueStored(
  tx: DbTransaction,
  afterId: number,
  nowTs: number,
): Promise<{ checkedId: number; isEnd: boolean }> {
  const rows = await tx.keyRecord.findMany({
    where: { id: { gt: afterId } },
    orderBy: { id: 'asc' },
    take: MAX_CHECKED,
    select: { id: true, sha256: true },
  });
  const hashes = rows.map(({ sha256 }) => new Uint8Array(Buffer.from(sha256, 'hex')));
  const about = { where: { recordSha256: { in: hashes } }, select: { recordSha256: true } };
  const known = [...(await tx.logEntry.findMany(about)), ...(await tx.logQueue.findMany(about))];
  const knownHashes = new Set(known.map((row) => Buffer.from(row.recordSha256).toString('hex')));
  const missing = rows.filter(({ sha256 }) => !knownHashes.has(sha256)).map(({ id }) => id);
  for (let at = 0; at < missing.length; at += MAX_READ) {
    const where = { id: { in: missing.slice(at, at + MAX_READ) } };
    const records = await tx.keyRecord.findMany({ where, orderBy: { id: 'asc' } });
    const queuedTs = BigInt(nowTs);
    const data = records.flatMap((row) => {
      const entry = existingEntry(row);
      const recordSha256 = new Uint8Array(Buffer.from(row.sha256, 'hex'));
      return entry === null ? [] : [{ recordSha256, entry, queuedTs }];
    });
    await tx.logQueue.createMany({ data });
    await setImmediate();
  }
  return { checkedId: rows.at(-1)?.id ?? afterId, isEnd: rows.length < MAX_CHECKED };
}

interface StoredRow {
  serverName: string;
  sha256: string;
  firstSeenTs: bigint;
  published: Uint8Array;
}

/** `null` for damaged bytes, which cannot be answered either: they must not keep others out of the log. */
function existingEntry({
  serverName,
  sha256,
  firstSeenTs,
  published,
}: StoredRow): Uint8Array<ArrayBuffer> | null {
  try {
    const record = parseStrictJson(published, STORED_JSON);
    if (!isJsonObject(record)) return null;
    const about = { serverName, recordSha256: sha256, observedTs: Number(firstSeenTs) };
    return new Uint8Array(encodeKeyEntry({ event: 'existing_record', ...about }, record));
  } catch {
    return null;
  }
}
