import type { LogKey } from '@vidimus/tlog';

import type { Clock } from '../../base/clock.js';
import type { Database, DbTransaction } from '../../store/db.js';
import { appendEntries } from './log-append.js';
import { queueStored, takeQueued } from './log-queue.js';
import { holdLog, type LogState } from './log-store.js';
import type { PublishedLog } from './published-log.js';

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
