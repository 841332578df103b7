import type { Client } from '../../base/fair-queue.js';
import type { PreviewTrace } from './preview-trace.js';
import { HOUR_MS, MINUTE_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { isFault } from '../../base/errors/outbound-error.js';
import { urlHost } from '../../base/logger.js';

/** One preview in the making: the request, its time limit, and who watches. */
export interface PreviewJob {
  url: string;
  userId: string;
  requestId: string;
  client: Client;
  signal: AbortSignal;
  /** `null`: nobody watches. */
  trace: PreviewTrace | null;
  missing: MissingParts;
}

/** That a name could not be resolved says little about the site. */
export const UNRESOLVED_MS = MINUTE_MS;

/** Does a failure say something about the address? Not our own 429 and 503, nor failures of our own. */
export function isOfAddress(error: unknown): error is ApiError {
  return error instanceof ApiError && ![429, 503].includes(error.status) && !isFault(error, 'busy', 'ended');
}

/**
 * How long a failed preview is remembered, ms: not at all when it says nothing about the address; an hour is the rule
 * (SPEC §4.7.2).
 */
export function failureLifetimeMs(error: unknown): number {
  if (!isOfAddress(error)) return 0;
  return isFault(error, 'resolver', 'unresolved') ? UNRESOLVED_MS : HOUR_MS;
}

/** What a preview lacks for a reason that says nothing about the site: its image, or an oEmbed answer. */
export interface MissingParts {
  /** This server had too much to do or no space, or our resolver did not answer: another time there may be more. */
  isCutShort: boolean;
  /** The host of something could not be resolved: soon there may be more, or never. */
  isUnresolved: boolean;
}

export function noteMissing(missing: MissingParts, error: unknown): void {
  if (isFault(error, 'busy', 'resolver')) missing.isCutShort = true;
  else if (isFault(error, 'unresolved')) missing.isUnresolved = true;
}

/** A log line of what failed within a preview that goes on. Of addresses it holds the hosts, since links carry secrets. */
export function failureLine(
  error: unknown,
  { url, requestId }: { url: string; requestId: string },
  of: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const hosts = Object.entries({ page: url, ...of }).map(([what, address]) => [what, urlHost(address)]);
  const about = { request_id: requestId, ...Object.fromEntries(hosts) };
  if (!(error instanceof ApiError)) return { ...about, err: error };
  const { reason, originStatus, message } = error;
  return { ...about, reason, origin_status: originStatus ?? undefined, error: message };
}
