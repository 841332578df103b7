import { setImmediate } from 'node:timers/promises';

import { isConflict } from '../../../store/conflict.js';
import type { Database } from '../../../store/db.js';
import { isStoreUnavailable } from '../../../store/store-errors.js';
import { saveOutcomes } from './fetch-outcome.js';
import type { FetchOutcome, OutcomeStores } from './fetch-outcome.js';

/** A transaction holds up other writers, so it must stay short; larger ones save next to nothing more. */
const MAX_GROUP = 32;

interface Waiting {
  outcome: FetchOutcome;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Stores outcomes of fetches, those that are there at the same time in one transaction: a hundred fetches end
 * almost at once, and a transaction for each costs ten times as much.
 */
export class OutcomeWriter {
  readonly #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(private readonly options: OutcomeStores & { database: Database }) {}

  /**
   * Resolves when the outcome is stored for good. Rejects when it cannot be; what else was to be stored with it
   * is stored all the same. No two outcomes of one server may be under way.
   */
  write(outcome: FetchOutcome): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ outcome, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Whatever arrives in this turn of the event loop goes along.
      await setImmediate();
      await this.#writeGroup(this.#waiting.splice(0, MAX_GROUP));
    }
    this.#isRunning = false;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#save(group);
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1 || isStoreUnavailable(error)) for (const { reject } of group) reject(error);
      // One that cannot be stored must not take the others with it.
      else for (const one of group) await this.#writeGroup([one]);
    }
  }

  /** Once more after a conflict with another instance. */
  async #save(group: readonly Waiting[]): Promise<void> {
    // In one order everywhere, so that two instances do not wait for each other's rows.
    const outcomes = group
      .map(({ outcome }) => outcome)
      .toSorted((a, b) => (a.entry.serverName < b.entry.serverName ? -1 : 1));
    const save = (): Promise<void> =>
      this.options.database.client.$transaction((tx) => saveOutcomes(tx, outcomes, this.options));
    await save().catch((error: unknown) => (isConflict(error) ? save() : Promise.reject(error)));
  }
}
