import type { LogKey } from '@vidimus/tlog';

import type { Clock } from '../../base/clock.js';
import type { Database, DbTransaction } from '../../store/db.js';
import { appendEntries } from './log-append.js';
import { takeQueued, type NewEntry } from './log-queue.js';
import { holdLog, type LogState } from './log-store.js';
import type { PublishedLog } from './published-log.js';
import { checkRecords, type CheckedRecords } from './stored-records.js';

/** What it is built from. */
export interface SequencerOptions {
  database: Database;
  clock: Clock;
  key: LogKey;
  log: PublishedLog;
}

/** Looks at stored records of one run; a store of a million records is entered within minutes. */
const MAX_LOOKS = 8;
/** Rows of other instances may be committed after later ones. */
const OVERLAPPING_IDS = 1000;

/**
 * Enters what waits into the log: entries, tiles and the signed checkpoint in one transaction, which one instance at a
 * time can have; then they are published.
 */
export class Sequencer {
  /** Row of key_record from which on this process has still to look whether the log has it; `null`: none. */
  #uncheckedId: number | null | undefined;

  constructor(private readonly options: SequencerOptions) {}

  /** Whether the log may still lack records that were stored without it. */
  get isCatchingUp(): boolean {
    return this.#uncheckedId !== null;
  }

  /**
   * One run; resolves to whether another one is due, because there is more or another instance holds the log. Rejects
   * when the store is away; the queue then waits for the next run.
   */
  async run(): Promise<boolean> {
    const { log } = this.options;
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const { oldestTs } = await log.refresh();
      if (log.damage !== null || (oldestTs === null && !this.isCatchingUp)) return false;
      const isHeld = await log.watchingDamage(() => this.#append());
      if (!isHeld || !this.isCatchingUp) break;
    }
    const { oldestTs } = await log.refresh();
    return log.damage === null && (oldestTs !== null || this.isCatchingUp);
  }

  /** One transaction; `false`: another instance has the turn. */
  async #append(): Promise<boolean> {
    const { database, clock, key } = this.options;
    const checked = await database.client.$transaction(async (tx) => {
      const state = await holdLog(tx, database.engine);
      if (state === null) return null;
      const entries = await takeQueued(tx);
      const found = await this.#check(tx, state, entries);
      entries.push(...(found?.missing ?? []));
      if (entries.length > 0) await appendEntries(tx, { state, key, nowTs: clock.now() }, entries);
      return { found };
    });
    if (checked === null) return false;
    // Not before the transaction is through.
    if (checked.found !== null) this.#uncheckedId = checked.found.isEnd ? null : checked.found.checkedId;
    return true;
  }

  async #check(
    tx: DbTransaction,
    { checkedId: signedId }: LogState,
    taken: readonly NewEntry[],
  ): Promise<CheckedRecords | null> {
    if (this.#uncheckedId === null) return null;
    const afterId = Math.max(0, this.#uncheckedId ?? signedId - OVERLAPPING_IDS);
    const found = await checkRecords(tx, afterId, taken);
    if (found.checkedId > signedId)
      await tx.logState.update({ where: { id: 1 }, data: { checkedId: found.checkedId } });
    return found;
  }
}
