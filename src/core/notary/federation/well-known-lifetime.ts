import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/clock.js';
import type { Random } from './random.js';

const DEFAULT_MS = DAY_MS;
const MIN_MS = 5 * MINUTE_MS;
const MAX_MS = 48 * HOUR_MS;
const FAILED_MS = HOUR_MS;
const FAILED_AFTER_GOOD_MS = 2 * MINUTE_MS;
const JITTER = 0.1;

/** Up to 10 % more or less, so that servers learnt together are not asked again together. */
function withJitter(ms: number, random: Random): number {
  return ms * (1 + JITTER * (2 * random() - 1));
}

/**
 * How long a good well-known document is kept, in ms: `max-age`, else `Expires`, held between 5 minutes and
 * 48 hours; 24 hours with jitter when it says neither; 0 for `no-store`.
 */
export function lifetimeOf(headers: ReadonlyMap<string, string>, nowTs: number, random: Random): number {
  const directives = cacheDirectives(headers.get('cache-control') ?? '');
  if (directives.has('no-store')) return 0;
  const stated = statedLifetime(directives, headers.get('expires'), nowTs);
  return stated === null ? withJitter(DEFAULT_MS, random) : Math.min(Math.max(stated, MIN_MS), MAX_MS);
}

/** How long "there is no well-known document" is kept: 1 hour, but 2 minutes where there was one lately. */
export function failureLifetime(hadGoodLately: boolean, random: Random): number {
  return withJitter(hadGoodLately ? FAILED_AFTER_GOOD_MS : FAILED_MS, random);
}

function cacheDirectives(text: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    directives.set(name.trim().toLowerCase(), value.trim().replaceAll('"', ''));
  }
  return directives;
}

function statedLifetime(
  directives: ReadonlyMap<string, string>,
  expires: string | undefined,
  nowTs: number,
): number | null {
  const maxAge = directives.get('max-age');
  if (maxAge !== undefined && /^\d+$/.test(maxAge)) return Number(maxAge) * SECOND_MS;
  if (expires === undefined) return null;
  // RFC 9111 §5.3: an unreadable date, "0" above all, is a time in the past.
  const expiresTs = Date.parse(expires);
  return Number.isNaN(expiresTs) || /^\d+$/.test(expires) ? 0 : expiresTs - nowTs;
}
