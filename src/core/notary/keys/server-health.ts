import { type Clock, MINUTE_MS } from '../../base/clock.js';
import { isOwnFailure, isUnresolved } from '../../base/errors/outbound-error.js';
import { entryCache } from '../../base/runtime/entry-cache.js';

/** What is remembered of a remote server between fetches; table remote_server. */
export interface ServerHealth {
  firstAskedTs: number;
  lastFetchTs: number | null;
  lastOkTs: number | null;
  /** Failures in a row; 0 after a success. */
  failCount: number;
  /** No fetch goes out before this time; 0 when nothing holds it back. */
  nextTryTs: number;
  lastErrorReason: string | null;
  lastErrorMessage: string | null;
}

/** Settings `federation.backoff`. */
export interface BackoffSettings {
  /** Failures in a row after which waiting starts. */
  afterFailures: number;
  initialMs: number;
  maximumMs: number;
}

/** Longest pause while names are not resolved: it may be our own resolver that fails, for all names until it is back. */
const UNRESOLVED_MAXIMUM_MS = MINUTE_MS;

/** A server that nothing was fetched from. */
export function unknownHealth(nowTs: number): ServerHealth {
  return {
    firstAskedTs: nowTs,
    lastFetchTs: null,
    lastOkTs: null,
    failCount: 0,
    nextTryTs: 0,
    lastErrorReason: null,
    lastErrorMessage: null,
  };
}

/** Whether a server is not asked yet. A longer wait than there is comes from a clock that was set back. */
export function isBackingOff({ nextTryTs }: ServerHealth, nowTs: number, settings: BackoffSettings): boolean {
  const waitMs = nextTryTs - nowTs;
  return waitMs > 0 && waitMs <= settings.maximumMs;
}

/** Health after a fetch that brought an acceptable record. */
export function afterSuccess(health: ServerHealth, startedTs: number): ServerHealth {
  return { ...unknownHealth(health.firstAskedTs), lastFetchTs: startedTs, lastOkTs: startedTs };
}

/**
 * Health after a failed fetch: waiting doubles from the n-th failure in a row on, up to the maximum. A failure of this
 * server's own is recorded and holds nothing back.
 */
export function afterFailure(
  health: ServerHealth,
  failure: { startedTs: number; endedTs: number; reason: string; message: string },
  { afterFailures, initialMs, maximumMs }: BackoffSettings,
): ServerHealth {
  const { startedTs, endedTs, reason, message } = failure;
  const failed = {
    ...health,
    lastFetchTs: startedTs,
    lastErrorReason: reason,
    lastErrorMessage: message,
  };
  if (isOwnFailure(reason)) return failed;
  const failCount = health.failCount + 1;
  const beyond = failCount - afterFailures;
  const longestMs = isUnresolved(reason) ? Math.min(maximumMs, UNRESOLVED_MAXIMUM_MS) : maximumMs;
  const waitMs = beyond < 0 ? 0 : Math.min(longestMs, initialMs * 2 ** Math.min(beyond, 30));
  return { ...failed, failCount, nextTryTs: waitMs === 0 ? 0 : endedTs + waitMs };
}

const REMEMBERED_SERVERS = 10_000;
/** Then it is read again: other instances may have had failures, too. */
const LIFETIME_MS = MINUTE_MS;

/** Health of servers in memory; newer than the store while a transaction is on its way. */
export class RememberedHealth {
  readonly #known = entryCache<{ health: ServerHealth; knownTs: number }>(REMEMBERED_SERVERS);

  constructor(
    private readonly store: {
      findHealth(serverNames: readonly string[]): Promise<Map<string, ServerHealth>>;
    },
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
