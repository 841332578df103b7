import { SECOND_MS, type Clock } from '../../../base/clock.js';
import { ReachedBounds } from '../../../base/limits/reached-bounds.js';
import type { Logger } from '../../../base/logger.js';
import { Remembered } from '../../../base/remembered.js';
import type { Database } from '../../../store/db.js';
import { domainOf } from '../../federation/server-name.js';
import type { FetchOutcome } from './record-rows.js';

export interface FailedServersOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Servers with rows of their own. */
  maxServers: number;
  /** Of them below one registrable domain. */
  maxServersPerDomain: number;
  /** Called for each failed fetch that leaves no row. */
  onCounted?: () => void;
}

/** Attempts kept of each. */
export const MAX_FAILED_FETCHES = 20;
/** Once all rows are taken, a newer server takes the oldest one's place so often. */
const REPLACE_MS = SECOND_MS;

/**
 * Servers that no record was ever fetched from: the latest keep rows of their own, the others are only counted. Names
 * cost nothing to invent.
 */
export class FailedServers {
  /** Those with rows, the oldest first, with their domain. */
  readonly #kept = new Map<string, string>();
  readonly #loaded = new Remembered(() => this.#load());
  readonly #bounds: ReachedBounds<'failed_servers'>;
  #replacedMs = -Infinity;

  constructor(private readonly options: FailedServersOptions) {
    const { clock, logger, onCounted } = options;
    this.#bounds = new ReachedBounds({
      clock,
      log: (line) => logger.warn(line, 'limit of failed servers reached: further failures are only counted'),
      count: onCounted,
    });
  }

  /** The outcome as it is to be stored; `null`: it has been counted instead. Rejects when the store is away. */
  async admit(outcome: FetchOutcome): Promise<FetchOutcome | null> {
    const { entry, health } = outcome;
    const { serverName } = entry;
    if (entry.outcome === 'ok') this.#kept.delete(serverName);
    if (entry.outcome === 'ok' || health.lastOkTs !== null || entry.cause === 'operator') return outcome;
    await this.#loaded.get();
    if (this.#kept.has(serverName))
      return health.failCount <= MAX_FAILED_FETCHES ? outcome : { ...outcome, events: [] };
    const domain = domainOf(serverName);
    const { maxServers, maxServersPerDomain } = this.options;
    const ofDomain = Array.from(this.#kept).filter(([, other]) => other === domain);
    const isDomainFull = ofDomain.length >= maxServersPerDomain;
    if (!isDomainFull && this.#kept.size < maxServers) {
      this.#kept.set(serverName, domain);
      return outcome;
    }
    const evicted = (isDomainFull ? ofDomain : [...this.#kept])[0]?.[0];
    const nowMs = performance.now();
    if (evicted === undefined || nowMs - this.#replacedMs < REPLACE_MS) {
      this.#bounds.note('failed_servers', { domain, server_name: serverName });
      return null;
    }
    this.#replacedMs = nowMs;
    this.#kept.delete(evicted);
    this.#kept.set(serverName, domain);
    // Events stay for ever, so that they must not come with every name that takes another's place.
    return { ...outcome, events: [], evicted };
  }

  async #load(): Promise<void> {
    const rows = await this.options.database.client.remoteServer.findMany({
      where: { lastOkTs: null },
      orderBy: { lastFetchTs: 'desc' },
      take: this.options.maxServers,
      select: { serverName: true },
    });
    for (const { serverName } of rows.toReversed()) this.#kept.set(serverName, domainOf(serverName));
  }
}
