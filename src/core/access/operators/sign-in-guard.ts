import ipaddr from 'ipaddr.js';

import { parseIpAddress } from '../../net/address/ip-address.js';
import { HOUR_MS, MINUTE_MS, type Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { entryCache } from '../../base/runtime/entry-cache.js';

/** A try that is being checked. */
export interface Try {
  succeed(): void;
}

/** What one address or account did lately. */
interface Tries {
  /** Times of the tries of the last minute that were wrong or are still being looked at. */
  ts: number[];
  /** Nothing is looked at before this time. */
  closedUntilTs: number;
  /** How often it was closed in a row. */
  closings: number;
  lastTs: number;
}

const TRIES_PER_MINUTE = 5;
const LONGEST_CLOSED_MS = HOUR_MS;
/** After this much quiet the wait begins at a minute again. */
const FORGET_MS = 24 * HOUR_MS;
const MAX_REMEMBERED = 50_000;
const MAX_KEY_LENGTH = 64;

/**
 * Keeps guessers away: five wrong tries a minute for each key (an address, an account), then a wait that doubles
 * from one minute to one hour each time the limit is met again. Kept in memory, by each
 * instance for itself.
 */
export class SignInGuard {
  readonly #tries = entryCache<Tries>(MAX_REMEMBERED);

  constructor(private readonly clock: Clock) {}

  /**
   * Counts a try before its outcome is known, so that simultaneous ones count too; `succeed` takes it back, and it
   * alone: whoever has one right secret could guess others without end.
   * Throws 429 with the time to wait when there were too many.
   */
  enter(key: string): Try {
    const nowTs = this.clock.now();
    const tries = this.#recent(key, nowTs);
    if (tries.closedUntilTs > nowTs) throw tooManyTries(tries.closedUntilTs - nowTs);
    count(tries, nowTs);
    if (tries.closedUntilTs > nowTs) throw tooManyTries(tries.closedUntilTs - nowTs);
    return { succeed: () => takeBack(tries, nowTs) };
  }

  #recent(key: string, nowTs: number): Tries {
    const known = this.#tries.get(key);
    const tries: Tries =
      known === undefined || nowTs - known.lastTs > FORGET_MS
        ? { ts: [], closedUntilTs: 0, closings: 0, lastTs: nowTs }
        : known;
    tries.lastTs = nowTs;
    tries.ts = tries.ts.filter((ts) => nowTs - ts < MINUTE_MS);
    this.#tries.set(key, tries);
    return tries;
  }
}

/** One more than there may be closes. */
function count(tries: Tries, nowTs: number): void {
  if (tries.ts.length < TRIES_PER_MINUTE) {
    tries.ts.push(nowTs);
    return;
  }
  tries.closedUntilTs = nowTs + Math.min(LONGEST_CLOSED_MS, MINUTE_MS * 2 ** tries.closings);
  tries.closings += 1;
  tries.ts = [];
}

function takeBack(tries: Tries, ts: number): void {
  const at = tries.ts.indexOf(ts);
  if (at !== -1) tries.ts.splice(at, 1);
}

/** The key of an address; an IPv6 client usually has a whole /64 to choose from. */
export function addressKey(address: string | null): string {
  const parsed = parseIpAddress(address ?? '');
  if (parsed === null) return `address ${(address ?? '').slice(0, MAX_KEY_LENGTH)}`;
  const isIpv6 = parsed instanceof ipaddr.IPv6;
  return `address ${isIpv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()}`;
}

function tooManyTries(waitMs: number): ApiError {
  return new ApiError(429, 'Too many attempts to sign in; wait before the next one', {
    errcode: 'M_LIMIT_EXCEEDED',
    reason: 'rate_limited',
    bound: 'sign_in',
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
