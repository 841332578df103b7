import { HOUR_MS, MINUTE_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { isUnresolved } from '../../base/errors/outbound-error.js';

/** Failures that may pass by themselves: time-outs, and sites that are overloaded or broken for now. */
const TRANSIENT_REASON = /^(?:timeout_|connection_reset|http_unavailable|body_cut)/;

/** Failures of our own: the resolver, the disk, the thread, which another page may have ended, and being told to stop. */
const OWN_REASON = /^(?:disk_full|dns_busy|media_not_written|worker_died|worker_unavailable|aborted)$/;

/** That a name could not be resolved says little about the site. */
export const UNRESOLVED_MS = MINUTE_MS;

/** Does a failure say something about the address? Not our own 429 and 503, nor failures of our own. */
export function isOfAddress(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.status === 429 || error.status === 503) return false;
  return error.reason === null || !OWN_REASON.test(error.reason);
}

/**
 * How long a failed preview is remembered, ms: not at all when it says nothing about the address; an hour is the rule
 * (SPEC §4.7.2); transient failures live as long as the setting says.
 */
export function failureLifetimeMs(error: unknown, transientLifetimeMs: number): number {
  if (!isOfAddress(error)) return 0;
  if (isUnresolved(error.reason)) return Math.min(transientLifetimeMs, UNRESOLVED_MS);
  return error.reason !== null && TRANSIENT_REASON.test(error.reason) ? transientLifetimeMs : HOUR_MS;
}
