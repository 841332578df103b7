import { type LogKey, growTree, hashLeaf, rootOf, writeCheckpoint } from '@vidimus/tlog';

import { type Clock, SECOND_MS } from '../../base/clock.js';
import { type Database, type DbTransaction, createRows } from '../../store/db.js';
import { queueStored, takeQueued, type NewEntry } from './log-queue.js';
import { holdLog, type LogState, readSignedEdge } from './log-store.js';
import type { PublishedLog } from './published-log.js';

/**
 * Appends entries and signs the larger log, inside the transaction that holds it. Throws `LogDamage` when the stored
 * tiles are not those of the last checkpoint.
 */
async function appendEntries(
  tx: DbTransaction,
  { state, key, nowTs }: { state: LogState; key: LogKey; nowTs: number },
  entries: readonly NewEntry[],
): Promise<void> {
  const edge = await readSignedEdge(tx, state, key);
  const leaves = entries.map(({ entry }) => hashLeaf(entry));
  const grown = growTree(edge, leaves);
  const rows = entries.map(({ recordSha256, entry }, index) => ({
    seq: edge.size + index,
    recordSha256: new Uint8Array(recordSha256),
    entry: new Uint8Array(entry),
  }));
  await createRows((piece) => tx.logEntry.createMany(piece), rows);
  for (const { level, n, hashes: parts } of grown.tiles) {
    const hashes = new Uint8Array(Buffer.concat(parts));
    const where = { level_n: { level, n } };
    await tx.logTile.upsert({ where, create: { level, n, hashes }, update: { hashes } });
  }
  const { size } = grown.edge;
  const note = key.signNote(writeCheckpoint({ origin: key.origin, size, root: rootOf(grown.edge) }));
  await tx.logState.update({ where: { id: 1 }, data: { size, checkpoint: note, signedTs: BigInt(nowTs) } });
}

/** What it is built from. */
export interface SequencerOptions {
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
  /** Resolves to whether another run is due. Never rejects. */
  run(): Promise<boolean>;
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
    const isDue = await this.options.run();
    this.#endedMs = performance.now();
    this.#running = null;
    const pauseMs = isDue || this.#isWoken ? PAUSE_MS : this.options.pollMs;
    if (pauseMs !== null) this.#schedule(pauseMs);
  }
}
