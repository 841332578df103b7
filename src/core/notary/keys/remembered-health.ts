import { MINUTE_MS, type Clock } from '../../base/clock.js';
import { entryCache } from '../../base/runtime/entry-cache.js';
import type { FetchStore } from './fetch-store.js';
import { unknownHealth, type ServerHealth } from './server-health.js';

const REMEMBERED_SERVERS = 10_000;
/** Then it is read again: other instances may have had failures, too. */
const LIFETIME_MS = MINUTE_MS;

/** Health of servers in memory; newer than the store while a transaction is on its way. */
export class RememberedHealth {
  readonly #known = entryCache<{ health: ServerHealth; knownTs: number }>(REMEMBERED_SERVERS);

  constructor(
    private readonly store: Pick<FetchStore, 'findHealth'>,
    private readonly clock: Clock,
  ) {}

  get(serverName: string): ServerHealth {
    return this.#known.get(serverName)?.health ?? unknownHealth(this.clock.now());
  }

  set(serverName: string, health: ServerHealth): void {
    this.#known.set(serverName, { health, knownTs: this.clock.now() });
  }

  /** Reads what is not known, or has been known for long. */
  async load(serverNames: readonly string[]): Promise<void> {
    const unknown = serverNames.filter((serverName) => {
      const known = this.#known.get(serverName);
      return known === undefined || Math.abs(this.clock.now() - known.knownTs) >= LIFETIME_MS;
    });
    if (unknown.length === 0) return;
    for (const [serverName, health] of await this.store.findHealth(unknown)) {
      // What could not be stored is newer.
      if ((health.lastFetchTs ?? 0) >= (this.get(serverName).lastFetchTs ?? 0)) this.set(serverName, health);
    }
  }
}
