import { CLOCKS_APART_MS, MINUTE_MS } from '../../base/clock.js';
import { isUnresolved } from '../../base/errors/outbound-error.js';

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
  throttleTokens: number;
  /** When they were that many; 0 when none was ever drawn. */
  throttleTokensTs: number;
}

/** Settings `federation.throttle` and `federation.backoff`. */
export interface ThrottleSettings {
  /** Fetches a caller may cause at once for ids and minimums that the origin does not meet. */
  burst: number;
  /** One more such fetch is allowed after each interval. */
  intervalMs: number;
  /** Failures in a row after which waiting starts. */
  backoffAfterFailures: number;
  backoffInitialMs: number;
  backoffMaximumMs: number;
}

/** Longest pause while names are not resolved: it may be our own resolver that fails, for all names until it is back. */
const UNRESOLVED_MAXIMUM_MS = MINUTE_MS;

export type FetchVerdict = 'go' | 'backoff' | 'throttled';

/** A server nobody has fetched from. */
export function unknownHealth(nowTs: number, settings: ThrottleSettings): ServerHealth {
  return {
    firstAskedTs: nowTs,
    lastFetchTs: null,
    lastOkTs: null,
    failCount: 0,
    nextTryTs: 0,
    lastErrorReason: null,
    lastErrorMessage: null,
    throttleTokens: settings.burst,
    throttleTokensTs: 0,
  };
}

/**
 * Whether a fetch may go out now, and the health to remember when it does.
 * `throttled` fetches draw one token from the server's bucket; others are only held back by back-off.
 */
export function admitFetch(
  health: ServerHealth,
  throttled: boolean,
  at: { nowTs: number; settings: ThrottleSettings },
): { verdict: FetchVerdict; health: ServerHealth } {
  const waitMs = health.nextTryTs - at.nowTs;
  // A longer wait than there is comes from a clock that was set back.
  if (waitMs > 0 && waitMs <= at.settings.backoffMaximumMs) return { verdict: 'backoff', health };
  if (!throttled) return { verdict: 'go', health };

  const throttleTokensTs = tokensTsAt(health, at.nowTs);
  const tokens = availableTokens(health, throttleTokensTs, at.settings);
  if (tokens < 1) return { verdict: 'throttled', health };
  return { verdict: 'go', health: { ...health, throttleTokens: tokens - 1, throttleTokensTs } };
}

/** Of two clocks some seconds apart the later one counts: no time counts twice. */
function tokensTsAt({ throttleTokensTs }: ServerHealth, nowTs: number): number {
  const aheadMs = throttleTokensTs - nowTs;
  return aheadMs > 0 && aheadMs <= CLOCKS_APART_MS ? throttleTokensTs : nowTs;
}

function availableTokens(health: ServerHealth, nowTs: number, settings: ThrottleSettings): number {
  // A clock set back must not lock a server out.
  const elapsedMs = Math.abs(nowTs - health.throttleTokensTs);
  return Math.min(settings.burst, health.throttleTokens + elapsedMs / settings.intervalMs);
}

/** Health after a fetch that brought an acceptable record. */
export function afterSuccess(health: ServerHealth, startedTs: number): ServerHealth {
  return {
    ...health,
    lastFetchTs: startedTs,
    lastOkTs: startedTs,
    failCount: 0,
    nextTryTs: 0,
    lastErrorReason: null,
    lastErrorMessage: null,
  };
}

/** Health after a fetch that failed because of us: it is recorded, and holds nothing back. */
export function afterOwnFailure(
  health: ServerHealth,
  failure: { startedTs: number; reason: string; message: string },
): ServerHealth {
  return {
    ...health,
    lastFetchTs: failure.startedTs,
    lastErrorReason: failure.reason,
    lastErrorMessage: failure.message,
  };
}

/** Health after a failed fetch: waiting doubles from the n-th failure in a row on, up to the maximum. */
export function afterFailure(
  health: ServerHealth,
  failure: { startedTs: number; endedTs: number; reason: string; message: string },
  settings: ThrottleSettings,
): ServerHealth {
  const failCount = health.failCount + 1;
  const beyond = failCount - settings.backoffAfterFailures;
  const { backoffInitialMs, backoffMaximumMs } = settings;
  const longestMs = isUnresolved(failure.reason)
    ? Math.min(backoffMaximumMs, UNRESOLVED_MAXIMUM_MS)
    : backoffMaximumMs;
  const waitMs = beyond < 0 ? 0 : Math.min(longestMs, backoffInitialMs * 2 ** Math.min(beyond, 30));
  return {
    ...health,
    lastFetchTs: failure.startedTs,
    failCount,
    nextTryTs: waitMs === 0 ? 0 : failure.endedTs + waitMs,
    lastErrorReason: failure.reason,
    lastErrorMessage: failure.message,
  };
}
