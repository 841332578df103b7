import { setTimeout as sleep } from 'node:timers/promises';

import type { Lifecycle } from '../base/lifecycle.js';
import type { Logger } from '../base/logger.js';
import type { Database, DatabaseOptions } from './db.js';
import { storeErrorLine } from './store-errors.js';

/** What the monitor watches and tells. */
export interface StoreMonitorOptions {
  database: Database;
  databaseOptions: DatabaseOptions;
  lifecycle: Lifecycle;
  logger: Logger;
  /** Pause between two looks. */
  intervalMs: number;
  /** Looks at the store at most this often, however often readiness is asked for. */
  freshMs: number;
}

/**
 * A store silent for so many steps counts as away until it answers: readiness is to be told within a second. A moment in
 * which this process was too busy to hear it is one step, however long.
 */
const PATIENCE_STEPS = 7;
const STEP_MS = 100;

/**
 * Watches whether the store can be reached and moves the lifecycle between `ready` and `store_unreachable`,
 * so that an outage shows in readiness and ends by itself.
 */
export class StoreMonitor {
  #timer: NodeJS.Timeout | null = null;
  #look: Promise<void> | null = null;
  #lastLookMs = -Infinity;

  constructor(private readonly options: StoreMonitorOptions) {}

  start(): void {
    this.#timer ??= setInterval(() => void this.check(), this.options.intervalMs).unref();
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#look;
  }

  /**
   * Looks at the store unless that has just been done, or watching has not begun. Never rejects, and
   * resolves when the store's answer is late too, however long that takes to come.
   */
  async check(): Promise<void> {
    if (this.#timer === null || performance.now() - this.#lastLookMs < this.options.freshMs) return;
    this.#look ??= this.#lookAtStore().finally(() => (this.#look = null));
    const hasEnded = this.#look.then(() => true);
    for (let step = 0; step < PATIENCE_STEPS; step += 1)
      if (await Promise.race([hasEnded, sleep(STEP_MS, false, { ref: false })])) return;
    const { lifecycle, logger } = this.options;
    if (lifecycle.phase === 'ready')
      logger.error({ after_ms: PATIENCE_STEPS * STEP_MS }, 'the database does not answer');
    lifecycle.set('store_unreachable', 'The database does not answer.');
  }

  async #lookAtStore(): Promise<void> {
    const { database, databaseOptions, lifecycle, logger } = this.options;
    try {
      await database.ping();
      if (lifecycle.phase === 'store_unreachable') logger.info('the database is reachable again');
      lifecycle.set('ready');
    } catch (error) {
      const cause = storeErrorLine(error, databaseOptions);
      if (lifecycle.phase === 'ready') logger.error({ cause }, 'the database cannot be reached');
      logger.debug({ err: error }, 'error of the database driver');
      lifecycle.set('store_unreachable', 'The database cannot be reached.', error);
    }
    this.#lastLookMs = performance.now();
  }
}
