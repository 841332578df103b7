import { setTimeout } from 'node:timers/promises';

import { type LogKey, growTree, hashLeaf, rootOf, signCheckpoint, encodeKeyEntry } from '@vidimus/tlog';

import { type Clock, SECOND_MS } from '../../base/clock.js';
import type { Database, DbTransaction, KeyRecordRow } from '../../store/db.js';
import { isJsonObject } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import type { Logger } from '../../base/logger.js';
import { holdLogState, insertRows } from '../../store/hot-sql.js';
import { isStoreError } from '../../store/store-errors.js';
import { type LogState, readLogState, readSignedEdge } from './log-store.js';
import type { PublishedLog } from './published-log.js';

/** Entries of one checkpoint, and bound parameters of one statement. */
const MAX_TAKEN = 512;
/** Checkpoints of one run. */
const MAX_CHECKPOINTS = 4;

/** Removes the oldest entries from the queue, inside the caller's transaction. */
async function takeQueued({ logQueue }: DbTransaction) {
  const rows = await logQueue.findMany({ orderBy: { id: 'asc' }, take: MAX_TAKEN });
  // An earlier ID may be committed later, and must not be deleted unseen.
  await logQueue.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  return rows;
}

const bytesOf = (sha256: string) => new Uint8Array(Buffer.from(sha256, 'hex'));

/** Records that are read together; each may have 256 KiB. */
const MAX_READ = 32;

/**
 * Queues the records behind a row of key_record that are neither in the log nor in the queue, a portion of them, inside
 * the caller's transaction. `isEnd`: these were the last ones.
 */
async function queueStored(
  tx: DbTransaction,
  afterId: number,
  nowTs: number,
): Promise<{ checkedId: number; isEnd: boolean }> {
  const where = { id: { gt: afterId } };
  const rows = await tx.keyRecord.findMany({ where, orderBy: { id: 'asc' }, take: MAX_READ });
  if (rows.length === 0) return { checkedId: afterId, isEnd: true };
  const hashes = rows.map(({ sha256 }) => bytesOf(sha256));
  const about = { where: { recordSha256: { in: hashes } }, select: { recordSha256: true } };
  const known = [...(await tx.logEntry.findMany(about)), ...(await tx.logQueue.findMany(about))];
  const knownHashes = new Set(known.map((row) => Buffer.from(row.recordSha256).toString('hex')));
  const queuedTs = BigInt(nowTs);
  const data = rows.flatMap((row) => {
    const entry = knownHashes.has(row.sha256) ? null : existingEntry(row);
    return entry === null ? [] : [{ recordSha256: bytesOf(row.sha256), entry, queuedTs }];
  });
  await tx.logQueue.createMany({ data });
  return { checkedId: rows.at(-1)?.id ?? afterId, isEnd: rows.length < MAX_READ };
}

/** `null` for damaged bytes, which cannot be served either: they must not keep others out of the log. */
function existingEntry(row: Pick<KeyRecordRow, 'serverName' | 'sha256' | 'firstSeenTs' | 'published'>) {
  const { serverName, sha256: recordSha256, firstSeenTs, published } = row;
  try {
    const record = parseStrictJson(published, STORED_JSON);
    const about = { event: 'existing_record', serverName, recordSha256 } as const;
    const observedTs = Number(firstSeenTs);
    return isJsonObject(record) ? new Uint8Array(encodeKeyEntry({ ...about, observedTs }, record)) : null;
  } catch {
    return null;
  }
}

/**
 * Appends entries and signs the larger log, inside the transaction that holds it. Throws `LogDamage` when the stored
 * tiles are not those of the last checkpoint.
 */
async function appendEntries(
  tx: DbTransaction,
  { state, key, nowTs }: { state: LogState; key: LogKey; nowTs: number },
  entries: Awaited<ReturnType<typeof takeQueued>>,
): Promise<void> {
  const edge = await readSignedEdge(tx, state, key);
  const leaves = entries.map(({ entry }) => hashLeaf(entry));
  const grown = growTree(edge, leaves);
  const rows = entries.map(({ recordSha256, entry }, at) => ({ seq: edge.size + at, recordSha256, entry }));
  await insertRows(tx, { table: 'log_entry' }, rows);
  for (const { level, n, hashes: parts } of grown.tiles) {
    const hashes = new Uint8Array(Buffer.concat(parts));
    const where = { level_n: { level, n } };
    await tx.logTile.upsert({ where, create: { level, n, hashes }, update: { hashes } });
  }
  const { size } = grown.edge;
  const checkpoint = signCheckpoint(key, { size, root: rootOf(grown.edge) });
  await tx.logState.update({ where: { id: 1 }, data: { size, checkpoint, signedTs: BigInt(nowTs) } });
}

interface SequencerOptions {
  database: Database;
  clock: Clock;
  key: LogKey;
  log: PublishedLog;
}

/** Portions of stored records in one run, as many as its checkpoints hold; a store of a million records is entered within minutes. */
const MAX_PORTIONS = (MAX_CHECKPOINTS * MAX_TAKEN) / MAX_READ;
/** Rows of other instances may be committed after later ones. */
const OVERLAPPING_IDS = 1000;

/**
 * Enters what waits into the log: entries, tiles and the signed checkpoint in one transaction, which one instance at a
 * time can have; then they are published. After a start it first queues the records that were stored without a log.
 */
export class Sequencer {
  /** Row of key_record up to which this process has made sure that the log has all. */
  #checkedId: number | null = null;
  /** Whether the log may still lack records that were stored without it. */
  #isCatchingUp = true;

  constructor(private readonly options: SequencerOptions) {}

  /**
   * One run; resolves to whether another one is due, because there is more or another instance holds the log. Rejects
   * when the store is away; the queue then waits for the next run.
   */
  async run(): Promise<boolean> {
    const { log, clock, key } = this.options;
    for (let portion = 0; portion < MAX_PORTIONS && this.#isCatchingUp; portion += 1)
      if (!(await this.#catchUp())) break;
    let queued = await log.refresh();
    for (let at = 0; at < MAX_CHECKPOINTS && log.damage === null && queued.oldestTs !== null; at += 1) {
      await log.watchingDamage(() =>
        this.#hold(async (tx, state) => {
          const entries = await takeQueued(tx);
          if (entries.length > 0) await appendEntries(tx, { state, key, nowTs: clock.now() }, entries);
        }),
      );
      queued = await log.refresh();
    }
    return log.damage === null && (queued.oldestTs !== null || this.#isCatchingUp);
  }

  /** One transaction that holds the log; `null`: another instance has it. */
  #hold<T>(work: (tx: DbTransaction, state: LogState) => Promise<T>): Promise<T | null> {
    const { client, engine } = this.options.database;
    return client.$transaction(async (tx) => {
      // On SQLite a transaction has the write lock.
      const isHeld = engine === 'sqlite' || (await holdLogState(tx));
      const state = isHeld ? await readLogState(tx) : null;
      return state === null ? null : work(tx, state);
    });
  }

  async #catchUp(): Promise<boolean> {
    const { database, clock } = this.options;
    const queued = await this.#hold(async (tx, state) => {
      const overlap = database.isShared ? OVERLAPPING_IDS : 0;
      const afterId = this.#checkedId ?? Math.max(0, state.checkedId - overlap);
      const { checkedId, isEnd } = await queueStored(tx, afterId, clock.now());
      if (checkedId > state.checkedId) await tx.logState.update({ where: { id: 1 }, data: { checkedId } });
      return { checkedId, isEnd };
    });
    if (queued === null) return false;
    // Not before the transaction is through.
    this.#checkedId = queued.checkedId;
    this.#isCatchingUp = !queued.isEnd;
    return true;
  }
}

export interface LogLoopOptions {
  sequencer: Sequencer;
  /** Woken after each run; `null`: there are no witnesses. */
  offers: { wake(): void } | null;
  logger: Logger;
  /** Runs without being woken, where other instances queue entries, too; `null`: never. */
  pollMs: number | null;
}

/** At most one checkpoint a second, however many records come; making one costs as much as a fetch. */
const GATHER_MS = SECOND_MS;

/** Runs the sequencer when there is something to do, never twice at once. */
export class LogLoop {
  readonly #stopping = new AbortController();
  readonly #poll: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isStoreAway = false;

  constructor(private readonly options: LogLoopOptions) {
    const { pollMs } = options;
    if (pollMs !== null) this.#poll = setInterval(() => this.wake(), pollMs).unref();
  }

  /** Runs in a second, or when it is stopped. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  /** One more run if something waits, then no further ones; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#poll);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#isWoken) {
      await setTimeout(GATHER_MS, undefined, { signal, ref: false }).catch(() => undefined);
      const isLast = signal.aborted;
      if (isLast && this.#isStoreAway) return;
      this.#isWoken = false;
      if (await this.#runOnce()) this.#isWoken = true;
      if (isLast) return;
    }
    this.#running = null;
  }

  /** Whether another run is due. A store that is away is logged once; the loop tries again. */
  async #runOnce(): Promise<boolean> {
    const { sequencer, offers, logger } = this.options;
    try {
      const isDue = await sequencer.run();
      offers?.wake();
      this.#isStoreAway = false;
      return isDue;
    } catch (error) {
      const isFirst = !this.#isStoreAway;
      this.#isStoreAway = isStoreError(error);
      if (!this.#isStoreAway) logger.error({ err: error }, 'entries could not be added to the log');
      else logger[isFirst ? 'warn' : 'debug']({ err: error }, 'the log waits for the database');
      return true;
    }
  }
}
