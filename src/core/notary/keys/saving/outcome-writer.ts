import { setImmediate } from 'node:timers/promises';

import { isConflict } from '../../../store/conflict.js';
import type { Database } from '../../../store/db.js';
import { isStoreUnavailable } from '../../../store/store-errors.js';
import type { FetchOutcome } from './fetch-outcome.js';
import { saveOutcomes, type OutcomeStores } from './save-outcomes.js';

/** A transaction holds up other writers, so it must stay short; larger ones save next to nothing more. */
const MAX_GROUP = 32;

/**
 * Outcomes come one after the other: right after one transaction more of them are waited for shortly, until nothing
 * else is under way, since each transaction waits for the disk and writes some forty pages, however few rows it is for.
 */
const GATHER_MS = 20;
const BUSY_MS = 100;

/** What it is built from. */
export interface OutcomeWriterOptions extends OutcomeStores {
  database: Database;
  /** Fetches under way, with those whose outcome waits here. */
  underWay: () => number;
}

interface Waiting {
  outcome: FetchOutcome;
  resolve: (isStored: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * Stores outcomes of fetches, those that are there at the same time in one transaction: a hundred fetches end
 * almost at once, and a transaction for each costs ten times as much.
 */
export class OutcomeWriter {
  readonly #waiting: Waiting[] = [];
  #isRunning = false;
  #endedMs = -Infinity;

  /** Ends the wait for more. */
  #hurry: () => void = () => {};

  constructor(private readonly options: OutcomeWriterOptions) {}

  /**
   * Resolves when the outcome is stored for good, with false when its domain has no room for it. Rejects when it
   * cannot be; what else was to be stored with it is stored all the same. No two outcomes of one server may be under
   * way.
   */
  write(outcome: FetchOutcome): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ outcome, resolve, reject });
      if (!this.#isRunning) void this.#run();
      else if (this.#isEnough) this.#hurry();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Whatever arrives in this turn of the event loop goes along.
      await setImmediate();
      const isBusy = performance.now() - this.#endedMs < BUSY_MS;
      if (isBusy && !this.#isEnough) await this.#gather();
      await this.#writeGroup(this.#waiting.splice(0, MAX_GROUP));
      this.#endedMs = performance.now();
    }
    this.#isRunning = false;
  }

  get #isEnough(): boolean {
    return this.#waiting.length >= Math.min(MAX_GROUP, this.options.underWay());
  }

  async #gather(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const refused = await this.#save(group);
      this.options.keyStore.logQueue?.onCommitted();
      for (const { outcome, resolve } of group) resolve(!refused.has(outcome.entry.serverName));
    } catch (error) {
      if (group.length === 1 || isStoreUnavailable(error)) for (const { reject } of group) reject(error);
      // One that cannot be stored must not take the others with it.
      else for (const one of group) await this.#writeGroup([one]);
    }
  }

  /** Once more after a conflict with another instance. */
  async #save(group: readonly Waiting[]): Promise<ReadonlySet<string>> {
    // In one order everywhere, so that two instances do not wait for each other's rows.
    const outcomes = group
      .map(({ outcome }) => outcome)
      .toSorted((a, b) => (a.entry.serverName < b.entry.serverName ? -1 : 1));
    const save = (): Promise<ReadonlySet<string>> =>
      this.options.database.plain.transaction((runner) => saveOutcomes(runner, outcomes, this.options));
    return save().catch((error: unknown) => (isConflict(error) ? save() : Promise.reject(error)));
  }
}
