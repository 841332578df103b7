import { setImmediate } from 'node:timers/promises';

import { type LogKey, growTree, hashLeaf, rootOf, signCheckpoint, encodeKeyEntry } from '@vidimus/tlog';

import { type Clock, SECOND_MS } from '../../base/clock.js';
import { type Database, type DbTransaction, type KeyRecordRow, createRows } from '../../store/db.js';
import { isJsonObject } from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import type { Logger } from '../../base/logger.js';
import { isStoreError } from '../../store/store-errors.js';
import { holdLog, type LogState, readSignedEdge } from './log-store.js';
import type { PublishedLog } from './published-log.js';

const MAX_TAKEN = 2048;
const DELETED_AT_ONCE = 512;

/** Removes the oldest entries from the queue, inside the caller's transaction. */
async function takeQueued({ logQueue }: DbTransaction) {
  const rows = await logQueue.findMany({ orderBy: { id: 'asc' }, take: MAX_TAKEN });
  // An earlier ID may be committed later, and must not be deleted unseen.
  for (let at = 0; at < rows.length; at += DELETED_AT_ONCE) {
    const ids = rows.slice(at, at + DELETED_AT_ONCE).map(({ id }) => id);
    await logQueue.deleteMany({ where: { id: { in: ids } } });
  }
  return rows;
}

/** Records that are looked at together, to see whether the log has them. */
const MAX_CHECKED = 512;
/** Of them read at once; each may have 256 KiB. */
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
  const grown = growTree(
    edge,
    entries.map(({ entry }) => hashLeaf(entry)),
  );
  const rows = entries.map(({ recordSha256, entry }, index) => ({
    seq: edge.size + index,
    recordSha256,
    entry,
  }));
  await createRows((piece) => tx.logEntry.createMany(piece), rows);
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

/** Portions of stored records in one run; a store of a million records is entered within minutes. */
const MAX_PORTIONS = 8;
/** Rows of other instances may be committed after later ones. */
const OVERLAPPING_IDS = 1000;

/**
 * Enters what waits into the log: entries, tiles and the signed checkpoint in one transaction, which one instance at a
 * time can have; then they are published. After a start it first queues the records that were stored without a log.
 */
export class Sequencer {
  /** Row of key_record up to which this process has made sure that the log has all. */
  #checkedId: number | null = null;
  #isCatchingUp = true;

  constructor(private readonly options: SequencerOptions) {}

  /** Whether the log may still lack records that were stored without it. */
  get isCatchingUp(): boolean {
    return this.#isCatchingUp;
  }

  /**
   * One run; resolves to whether another one is due, because there is more or another instance holds the log. Rejects
   * when the store is away; the queue then waits for the next run.
   */
  async run(): Promise<boolean> {
    const { log, clock, key } = this.options;
    for (let portion = 0; portion < MAX_PORTIONS && this.#isCatchingUp; portion += 1)
      if (!(await this.#catchUp())) break;
    const { oldestTs } = await log.refresh();
    if (log.damage === null && oldestTs !== null)
      await log.watchingDamage(() =>
        this.#hold(async (tx, state) => {
          const entries = await takeQueued(tx);
          if (entries.length > 0) await appendEntries(tx, { state, key, nowTs: clock.now() }, entries);
        }),
      );
    const after = await log.refresh();
    return log.damage === null && (after.oldestTs !== null || this.#isCatchingUp);
  }

  /** One transaction that holds the log; `false`: another instance has it. */
  #hold(work: (tx: DbTransaction, state: LogState) => Promise<void>): Promise<boolean> {
    const { database } = this.options;
    return database.client.$transaction(async (tx) => {
      const state = await holdLog(tx, database.engine);
      if (state !== null) await work(tx, state);
      return state !== null;
    });
  }

  async #catchUp(): Promise<boolean> {
    const result = { checkedId: this.#checkedId, isEnd: false };
    const isHeld = await this.#hold(async (tx, { checkedId }) => {
      const afterId = this.#checkedId ?? Math.max(0, checkedId - OVERLAPPING_IDS);
      Object.assign(result, await queueStored(tx, afterId, this.options.clock.now()));
      if ((result.checkedId ?? 0) > checkedId)
        await tx.logState.update({ where: { id: 1 }, data: { checkedId: result.checkedId ?? 0 } });
    });
    // Not before the transaction is through.
    this.#checkedId = result.checkedId;
    this.#isCatchingUp = !result.isEnd;
    return isHeld;
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

/** At most one checkpoint a second, however many records come. */
const PAUSE_MS = SECOND_MS;

/** Runs the sequencer when there is something to do, never twice at once. */
export class LogLoop {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isStopped = false;
  #endedMs = -Infinity;
  #isStoreAway = false;

  constructor(private readonly options: LogLoopOptions) {}

  /** Runs now, or as soon as the last run is a second ago. */
  wake(): void {
    this.#isWoken = true;
    if (this.#running === null) this.#schedule(Math.max(0, this.#endedMs + PAUSE_MS - performance.now()));
  }

  /** No further runs; resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    const run = (): void => {
      this.#running = this.#run();
    };
    if (!this.#isStopped) this.#timer = setTimeout(run, ms).unref();
  }

  async #run(): Promise<void> {
    this.#isWoken = false;
    const isDue = await this.#runOnce();
    this.#endedMs = performance.now();
    this.#running = null;
    const pauseMs = isDue || this.#isWoken ? PAUSE_MS : this.options.pollMs;
    if (pauseMs !== null) this.#schedule(pauseMs);
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
