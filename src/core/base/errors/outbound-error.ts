import { isKeyOf } from '../json/is-record.js';
import { errorCode, ApiError } from './api-error.js';

const MESSAGES = {
  aborted: 'Request was cancelled',
  address_blocked: 'Address is not allowed',
  address_busy: 'Too many requests are in progress',
  bad_document: 'Remote server published a document that cannot be used',
  bad_http: 'Remote server sent a malformed answer',
  body_cut: 'Remote server sent an incomplete answer',
  connection_refused: 'Connection refused',
  connection_reset: 'Connection closed by the remote server',
  dns_busy: 'DNS resolution failure',
  dns_failure: 'DNS resolution failure',
  dns_no_address: 'DNS resolution failure',
  dns_no_service: 'Remote server does not offer this service',
  dns_timeout: 'DNS resolution failure',
  host_unreachable: 'Remote server cannot be reached',
  http_encoding: 'Remote server sent an unsupported encoding',
  http_error: 'Remote server reported an internal error',
  http_redirect: 'Remote server sent a redirect that is not followed',
  http_status: 'Remote server answered with an error status',
  http_unavailable: 'Remote server is not available at the moment',
  timeout_body: 'Remote server did not finish its answer in time',
  timeout_connect: 'Remote server did not accept a connection in time',
  timeout_headers: 'Remote server did not answer in time',
  tls_expired: 'TLS failure',
  tls_failure: 'TLS failure',
  tls_not_yet_valid: 'TLS failure',
  tls_plain_http: 'TLS failure',
  tls_self_signed: 'TLS failure',
  tls_too_large: 'TLS failure',
  tls_unknown_ca: 'TLS failure',
  tls_wrong_name: 'TLS failure',
  too_large: 'Answer of the remote server is too large',
} as const;

/** Fixed vocabulary of what can go wrong with an outgoing request; `ApiError.reason` carries it. */
export type OutboundReason = keyof typeof MESSAGES;

export const isOutboundReason = (reason: string): reason is OutboundReason => isKeyOf(MESSAGES, reason);

/** A failed outgoing request: 502 with a text from a fixed list. `detail` may name hosts and addresses. */
export function outboundError(reason: OutboundReason, detail: string, cause?: unknown): ApiError {
  return new ApiError(502, MESSAGES[reason], { reason, detail, cause });
}

/** 502 for an answer with another status than 200; `originReason`: its `Error-Reason`. */
export function statusError(status: number, originReason: string | undefined): ApiError {
  const reason = status >= 300 && status < 400 ? 'http_redirect' : 'http_status';
  return new ApiError(502, MESSAGES[reason], {
    reason,
    detail: `status ${status}`,
    originReason: originReason ?? null,
  });
}

/** 403 for an IP literal that the address policy refuses; `why` as `AddressPolicy.whyBlocked`. */
export function blockedLiteral(host: string, why: string): ApiError {
  return new ApiError(403, 'IP address blocked by IP blacklist entry', {
    reason: 'address_blocked',
    detail: `${host} is ${why}`,
    address: host,
  });
}

/** 502 for a name of which one address is refused; the message never tells which. */
export function blockedName(host: string, address: string, why: string): ApiError {
  return new ApiError(502, MESSAGES.address_blocked, {
    reason: 'address_blocked',
    detail: `${host} resolves to ${address}, which is ${why}`,
    address,
  });
}

const CODES = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  ETIMEDOUT: 'timeout_connect',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'host_unreachable',
  EADDRNOTAVAIL: 'host_unreachable',
  EACCES: 'host_unreachable',
  EINVAL: 'host_unreachable',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_unknown_ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_ca',
  CERT_UNTRUSTED: 'tls_unknown_ca',
  INVALID_CA: 'tls_unknown_ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_plain_http',
} as const satisfies Record<string, OutboundReason>;
const MAX_DETAIL_LENGTH = 500;

/** Whose fault failures are, by their reasons; all others are the other server's. */
const FAULTS = {
  /** Ours: a queue or a disk is full, which other requests would meet, too. */
  busy: ['address_busy', 'busy', 'disk_full', 'dns_busy', 'media_not_written', 'overloaded'],
  /** Our resolver did not answer. */
  resolver: ['dns_timeout'],
  /** A broken domain and a broken resolver of ours give the same error. */
  unresolved: ['dns_failure'],
  /** Our worker thread, which another page may have ended, and cancelled requests. */
  ended: ['aborted', 'worker_died', 'worker_unavailable'],
  /** Rules of the configuration, or added by operators. */
  rules: ['address_blocked', 'url_blocked'],
};

/** Whether a failure, or one with this reason, is of one of the kinds of `FAULTS`. */
export function isFault(failure: unknown, ...kinds: readonly (keyof typeof FAULTS)[]): boolean {
  const reason = failure instanceof ApiError ? failure.reason : failure;
  return kinds.some((kind) => FAULTS[kind].some((each) => each === reason));
}

/**
 * Turns a socket, TLS or HTTP parser error into the vocabulary; `fallback` names what an unknown code means
 * in the phase at hand. An `ApiError` passes through unchanged.
 */
export function toOutboundError(error: unknown, fallback: OutboundReason): ApiError {
  if (error instanceof ApiError) return error;
  const code = errorCode(error);
  const text = error instanceof Error ? plainText(error) : 'unknown error';
  const detail = (code === '' || isKeyOf(CODES, code) ? text : `${code}: ${text}`).slice(
    0,
    MAX_DETAIL_LENGTH,
  );
  // Errors of sockets and TLS hold on to certificates and sockets: a known code says enough.
  if (isKeyOf(CODES, code)) return outboundError(CODES[code], detail);
  return outboundError(code.startsWith('HPE_') ? 'bad_http' : fallback, detail, error);
}

/** OpenSSL's messages name its own source files; `reason` says the same in words. */
function plainText({ message, library, reason }: Error & { library?: unknown; reason?: unknown }): string {
  return typeof library === 'string' && typeof reason === 'string' ? reason : message;
}
