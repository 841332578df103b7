import { ApiError, errorCode } from '../../base/errors/api-error.js';
import { isKeyOf } from '../../base/json/is-record.js';
import { isOutboundReason, type OutboundReason, toOutboundError } from '../../base/errors/outbound-error.js';

/** What a download may fail with. */
export type DownloadReason =
  | OutboundReason
  | keyof typeof TEXTS
  | 'busy'
  | 'content_type'
  | 'data_url'
  | 'data_url_forbidden';

export type FetchPhase = 'connect' | 'headers' | 'body';

const BUSY_RETRY_SECONDS = 5;
const MAX_SHOWN_TYPE_LENGTH = 100;

/** Fixed texts behind `Failed to download content: ` and `Failed to download remote body: `, by reason. */
const TEXTS = {
  aborted: 'cancelled',
  bad_http: 'protocol error',
  body_cut: 'connection closed inside the body',
  body_corrupt: 'body cannot be decompressed',
  connection_refused: 'connection refused',
  connection_reset: 'connection closed',
  host_unreachable: 'host unreachable',
  http_encoding: 'unsupported content encoding',
  redirect_loop: 'too many redirects',
  redirect_target: 'redirect without a usable location',
  scheme: 'unsupported URL scheme',
  url_too_long: 'address is too long',
} as const;

const textOf = (reason: string): string =>
  isKeyOf(TEXTS, reason) ? TEXTS[reason] : reason.startsWith('tls_') ? 'TLS failure' : 'request failed';

/** 500 for every failure without a status of its own; SPEC §7. `reason` chooses the text from a fixed list. */
export function downloadFailed(reason: DownloadReason, detail: string): ApiError {
  const message = `Failed to download content: ${textOf(reason)}`;
  return new ApiError(500, message, { reason, detail, isRemote: true });
}

/** 502 for a connection or a compressed body that breaks in the middle. */
export function bodyFailed(reason: DownloadReason, detail: string): ApiError {
  const message = `Failed to download remote body: ${textOf(reason)}`;
  return new ApiError(502, message, { reason, detail, isRemote: true });
}

/** 502 for a name without address or with a blocked one; SPEC §7. `detail` may name it, the message never does. */
export function dnsFailed(
  reason: string,
  { detail, address }: { detail: string | null; address: string | null },
): ApiError {
  return new ApiError(502, 'DNS resolution failure during URL preview generation', {
    reason,
    isRemote: true,
    ...(detail === null ? {} : { detail }),
    ...(address === null ? {} : { address }),
  });
}

/** 502 for a final status outside 200 to 299; overload and errors of the site, which may pass, have their own reasons. */
export function statusRefused(status: number, detail: string): ApiError {
  const isOverload = status === 429 || status === 503;
  const reason = isOverload ? 'http_unavailable' : status >= 500 ? 'http_error' : 'http_status';
  const about = { reason, detail, originStatus: status, isRemote: true };
  return new ApiError(502, `Got error ${status}`, about);
}

/** 502 for a content type that SPEC §4.7.5 does not list. */
export function typeRefused(contentType: string): ApiError {
  const shown = contentType.slice(0, MAX_SHOWN_TYPE_LENGTH).replaceAll(/[^ -~]/g, '?');
  const message = `Requested file's content type not allowed for this operation: ${shown}`;
  return new ApiError(502, message, { reason: 'content_type', isRemote: true });
}

/** 502 `M_TOO_LARGE` for a body that reaches the limit, counted after decompression. */
export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError(502, `Requested file is too large > ${limitBytes} bytes`, {
    errcode: 'M_TOO_LARGE',
    reason: 'too_large',
    isRemote: true,
  });
}

/** The error for a time limit that ended a request in the phase given. */
export function timedOut(phase: FetchPhase, detail: string): ApiError {
  const about = { reason: `timeout_${phase}`, detail, isRemote: true };
  if (phase === 'body')
    return new ApiError(502, 'Requested file took too long to download', {
      errcode: 'M_TOO_LARGE',
      ...about,
    });
  const what = phase === 'connect' ? 'connecting to' : 'waiting for response from';
  return new ApiError(504, `Timeout ${what} remote server`, about);
}

/** 503 when too many downloads wait, or one waited its whole time. Our own state: never kept as a failure. */
export function tooBusy(detail: string): ApiError {
  return new ApiError(503, 'Too many downloads at the moment', {
    reason: 'busy',
    detail,
    retryAfterSeconds: BUSY_RETRY_SECONDS,
  });
}

/** 500 for a data URL where none may be; SPEC §7. */
export const dataUrlForbidden = (): ApiError =>
  new ApiError(500, 'Previewing of data: URLs is forbidden', {
    reason: 'data_url_forbidden',
    isRemote: true,
  });

/** 500 for a data URL that cannot be read; SPEC §7. `what` is one of a few fixed texts. */
export const dataUrlFailed = (what: string): ApiError =>
  new ApiError(500, `Failed to parse data URL: ${what}`, { reason: 'data_url', isRemote: true });

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
  if (reason === null || !isOutboundReason(reason)) return downloadFailed('bad_http', detail ?? '');
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
