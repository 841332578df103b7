import { errorCode } from '../../base/errors/error-code.js';
import { ApiError } from '../../base/errors/api-error.js';
import { toOutboundError } from '../../base/errors/outbound-error.js';
import { bodyFailed, dnsFailed, downloadFailed, timedOut, type FetchPhase } from './download-errors.js';

const MAX_WRAPPINGS = 4;

const DNS_REASONS: ReadonlySet<string> = new Set([
  'address_blocked',
  'dns_busy',
  'dns_failure',
  'dns_no_address',
  'dns_timeout',
]);

/**
 * Turns whatever a request failed with into the answer of a preview: statuses and texts of SPEC §7. Errors that are
 * such an answer already (403 for a literal, a body over the limit, a time limit) pass unchanged.
 */
export function toDownloadError(error: unknown, phase: FetchPhase): ApiError {
  const root = rootOf(error);
  if (root instanceof ApiError && (phase === 'body' || root.status !== 502)) return root;
  if (phase === 'body') return bodyError(root);
  // No cause is kept: a client's error holds on to its whole request, and failures are remembered for an hour.
  const { reason, detail, address } = toOutboundError(root, 'bad_http');
  if (reason === null) return downloadFailed('bad_http', detail ?? '');
  if (DNS_REASONS.has(reason)) return dnsFailed(reason, { detail, address });
  if (reason === 'timeout_connect') return timedOut('connect', detail ?? '');
  if (reason === 'timeout_headers') return timedOut('headers', detail ?? '');
  return downloadFailed(reason, detail ?? '');
}

/** Client libraries wrap the error that a connection failed with. */
function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < MAX_WRAPPINGS; depth += 1) {
    if (root instanceof ApiError || !(root instanceof Error) || !(root.cause instanceof Error)) break;
    root = root.cause;
  }
  return root;
}

/** Everything that fails here is a connection that broke, or bytes that are no HTTP. */
function bodyError(error: unknown): ApiError {
  const code = errorCode(error);
  const detail = `${code}: ${error instanceof Error ? error.message : 'unknown error'}`;
  return bodyFailed(code.startsWith('HPE_') ? 'bad_http' : 'body_cut', detail);
}
