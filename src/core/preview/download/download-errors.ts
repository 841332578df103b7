import { ApiError, errorCode, unavailable, type ApiErrorOptions } from '../../base/errors/api-error.js';
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

/** A failure that the other side has its part in. */
const remote = (status: number, message: string, about: ApiErrorOptions): ApiError =>
  new ApiError(status, message, { isRemote: true, ...about });

/** 500 for every failure without a status of its own; SPEC §7. `reason` chooses the text from a fixed list. */
export const downloadFailed = (reason: DownloadReason, detail: string): ApiError =>
  remote(500, `Failed to download content: ${textOf(reason)}`, { reason, detail });

/** 502 for a connection or a compressed body that breaks in the middle. */
export const bodyFailed = (reason: DownloadReason, detail: string): ApiError =>
  remote(502, `Failed to download remote body: ${textOf(reason)}`, { reason, detail });

/** 502 for a name without address or with a blocked one; SPEC §7. `detail` may name it, the message never does. */
export const dnsFailed = (reason: string, about: Pick<ApiErrorOptions, 'detail' | 'address'>): ApiError =>
  remote(502, 'DNS resolution failure during URL preview generation', { reason, ...about });

/** 502 for a final status outside 200 to 299; overload and errors of the site, which may pass, have their own reasons. */
export function statusRefused(status: number, detail: string): ApiError {
  const isOverload = status === 429 || status === 503;
  const reason = isOverload ? 'http_unavailable' : status >= 500 ? 'http_error' : 'http_status';
  return remote(502, `Got error ${status}`, { reason, detail, originStatus: status });
}

/** 502 for a content type that SPEC §4.7.5 does not list. */
export function typeRefused(contentType: string): ApiError {
  const shown = contentType.slice(0, MAX_SHOWN_TYPE_LENGTH).replaceAll(/[^ -~]/g, '?');
  const message = `Requested file's content type not allowed for this operation: ${shown}`;
  return remote(502, message, { reason: 'content_type' });
}

/** 502 `M_TOO_LARGE` for a body that reaches the limit, counted after decompression. */
export const bodyTooLarge = (limitBytes: number): ApiError =>
  remote(502, `Requested file is too large > ${limitBytes} bytes`, {
    errcode: 'M_TOO_LARGE',
    reason: 'too_large',
  });

/** The error for a time limit that ended a request in the phase given. */
export function timedOut(phase: FetchPhase, detail: string): ApiError {
  const about = { reason: `timeout_${phase}`, detail };
  if (phase === 'body')
    return remote(502, 'Requested file took too long to download', { errcode: 'M_TOO_LARGE', ...about });
  const what = phase === 'connect' ? 'connecting to' : 'waiting for response from';
  return remote(504, `Timeout ${what} remote server`, about);
}

/** 503 when too many downloads wait, or one waited its whole time. Our own state: never kept as a failure. */
export const tooBusy = (detail: string): ApiError =>
  unavailable('busy', 'Too many downloads at the moment', { detail });

/** 500 for a data URL where none may be; SPEC §7. */
export const dataUrlForbidden = (): ApiError =>
  remote(500, 'Previewing of data: URLs is forbidden', { reason: 'data_url_forbidden' });

/** 500 for a data URL that cannot be read; SPEC §7. `what` is one of a few fixed texts. */
export const dataUrlFailed = (what: string): ApiError =>
  remote(500, `Failed to parse data URL: ${what}`, { reason: 'data_url' });

const MAX_WRAPPINGS = 4;

const DNS_REASON = /^(?:address_blocked|dns_(?:busy|failure|no_address|timeout))$/;

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
  if (DNS_REASON.test(reason)) return dnsFailed(reason, { detail, address });
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
