import type { OutboundReason } from '../../../base/errors/outbound-error.js';
import { isKeyOf } from '../../../base/json/is-record.js';
import type { JsonErrorReason } from '../../../base/json/strict-json.js';
import type { RecordErrorReason } from '../../../notary/key-record/record-keys.js';

/** Why fetches fail, as far as somebody has to do different things about it. */
export const FAILURE_CAUSES = [
  'certificate_expired',
  'certificate_wrong_name',
  'certificate_untrusted',
  'no_tls',
  'no_address',
  'dns_error',
  'no_dns_answer',
  'connection_refused',
  'connection_lost',
  'unreachable',
  'too_slow',
  'address_blocked',
  'error_status',
  'no_keys_there',
  'bad_record',
  'bad_signature',
  'unfit_key',
  'other',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** Every reason a fetch of keys may fail for. */
type FetchReason = OutboundReason | RecordErrorReason | JsonErrorReason;

const CAUSES: Readonly<Record<FetchReason, FailureCause>> = {
  aborted: 'other',
  address_blocked: 'address_blocked',
  address_busy: 'other',
  bad_document: 'no_keys_there',
  bad_http: 'no_keys_there',
  body_cut: 'connection_lost',
  connection_refused: 'connection_refused',
  connection_reset: 'connection_lost',
  dns_busy: 'no_dns_answer',
  dns_failure: 'dns_error',
  dns_no_address: 'no_address',
  dns_no_service: 'no_address',
  dns_timeout: 'no_dns_answer',
  host_unreachable: 'unreachable',
  http_encoding: 'no_keys_there',
  http_redirect: 'error_status',
  http_status: 'error_status',
  http_unavailable: 'error_status',
  timeout_body: 'too_slow',
  timeout_connect: 'unreachable',
  timeout_headers: 'too_slow',
  tls_expired: 'certificate_expired',
  tls_failure: 'no_tls',
  tls_not_yet_valid: 'certificate_untrusted',
  tls_plain_http: 'no_tls',
  tls_self_signed: 'certificate_untrusted',
  tls_too_large: 'no_tls',
  tls_unknown_ca: 'certificate_untrusted',
  tls_wrong_name: 'certificate_wrong_name',
  too_large: 'no_keys_there',
  record_not_object: 'bad_record',
  record_name_mismatch: 'bad_record',
  record_bad_validity: 'bad_record',
  record_bad_shape: 'bad_record',
  record_bad_key: 'unfit_key',
  record_bad_key_id: 'unfit_key',
  record_weak_key: 'unfit_key',
  record_banned_key: 'unfit_key',
  record_too_many_keys: 'bad_record',
  record_no_signature: 'bad_signature',
  record_bad_signature: 'bad_signature',
  record_too_many_signatures: 'bad_record',
  record_unproven_key: 'bad_signature',
  json_syntax: 'no_keys_there',
  json_not_utf8: 'no_keys_there',
  json_depth: 'bad_record',
  json_parts: 'bad_record',
  json_duplicate_member: 'bad_record',
  json_float: 'bad_record',
  json_negative_zero: 'bad_record',
  json_number_length: 'bad_record',
  json_lone_surrogate: 'bad_record',
};

/** The cause behind a stored reason. */
export function causeOf(reason: string): FailureCause {
  return isKeyOf(CAUSES, reason) ? CAUSES[reason] : 'other';
}

/** The reasons of a cause. `other` has more of them: all that are not known here. */
export function reasonsOf(cause: FailureCause): string[] {
  return Object.keys(CAUSES).filter((reason) => causeOf(reason) === cause);
}

/** The reasons of all causes that have a name. */
export function namedReasons(): string[] {
  return Object.keys(CAUSES).filter((reason) => causeOf(reason) !== 'other');
}
