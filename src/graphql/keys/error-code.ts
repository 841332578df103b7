import type { UserErrorCode } from '../common/enums.js';

const CODES: ReadonlyMap<string, UserErrorCode> = new Map<string, UserErrorCode>([
  ['not_whitelisted', 'FEDERATION_NOT_ALLOWED'],
  ['address_blocked', 'ADDRESS_BLOCKED'],
  ['record_no_signature', 'BAD_SIGNATURE'],
  ['record_bad_signature', 'BAD_SIGNATURE'],
  ['record_unproven_key', 'BAD_SIGNATURE'],
  ['too_large', 'TOO_LARGE'],
  ['http_status', 'REMOTE_ERROR'],
  ['http_unavailable', 'REMOTE_ERROR'],
  ['http_redirect', 'REMOTE_ERROR'],
  ['bad_name', 'INVALID'],
]);

const PREFIXES: readonly (readonly [string, UserErrorCode])[] = [
  ['dns_', 'DNS_FAILED'],
  ['tls_', 'TLS_FAILED'],
  ['timeout_', 'TIMED_OUT'],
  ['connection_', 'CONNECT_FAILED'],
  ['host_', 'CONNECT_FAILED'],
];

/** The code for clients of why a fetch failed. */
export function errorCodeOf(reason: string): UserErrorCode {
  const prefixed = PREFIXES.find(([prefix]) => reason.startsWith(prefix));
  return CODES.get(reason) ?? prefixed?.[1] ?? 'BAD_RESPONSE';
}
