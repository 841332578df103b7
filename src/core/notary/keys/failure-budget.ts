import { SECOND_MS } from '../../base/clock.js';
import { entryCache } from '../../base/runtime/entry-cache.js';

/** Failed fetches of servers that never answered which one client may cause at once. */
const BURST = 100;
/** Further ones, one after each interval. */
const INTERVAL_MS = SECOND_MS / 20;
const REMEMBERED_CLIENTS = 10_000;

/**
 * Failed fetches that each client may cause. Names that lead nowhere cost nothing to invent, and each takes a look-up
 * and up to a connection of ours.
 */
export class FailureBudget {
  readonly #clients = entryCache<{ left: number; atMs: number }>(REMEMBERED_CLIENTS);

  /** How many a client may cause now. */
  left(client: string): number {
    return Math.floor(this.#left(client));
  }

  spend(client: string): void {
    this.#clients.set(client, { left: Math.max(0, this.#left(client) - 1), atMs: performance.now() });
  }

  #left(client: string): number {
    const known = this.#clients.get(client);
    if (known === undefined) return BURST;
    return Math.min(BURST, known.left + (performance.now() - known.atMs) / INTERVAL_MS);
  }
}
