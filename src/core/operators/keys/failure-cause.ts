import type { OutboundReason } from '../../base/errors/outbound-error.js';
import { isKeyOf } from '../../base/json/is-record.js';
import type { JsonErrorReason } from '../../base/json/strict-json.js';
import type { RecordErrorReason } from '../../notary/key-record/key-record.js';

/** Every reason a fetch of keys may fail for. */
type FetchReason = OutboundReason | RecordErrorReason | JsonErrorReason;

/** Why fetches fail, as far as somebody has to do different things about it. */
const REASONS = {
  certificate_expired: ['tls_expired'],
  certificate_wrong_name: ['tls_wrong_name'],
  certificate_untrusted: ['tls_not_yet_valid', 'tls_self_signed', 'tls_unknown_ca'],
  no_tls: ['tls_failure', 'tls_plain_http', 'tls_too_large'],
  no_address: ['dns_no_address', 'dns_no_service'],
  dns_error: ['dns_failure'],
  no_dns_answer: ['dns_busy', 'dns_timeout'],
  connection_refused: ['connection_refused'],
  connection_lost: ['body_cut', 'connection_reset'],
  unreachable: ['host_unreachable', 'timeout_connect'],
  too_slow: ['timeout_body', 'timeout_headers'],
  address_blocked: ['address_blocked'],
  error_status: ['http_error', 'http_redirect', 'http_status', 'http_unavailable'],
  no_keys_there: ['bad_document', 'bad_http', 'http_encoding', 'too_large', 'json_syntax', 'json_not_utf8'],
  bad_record: [
    'record_not_object',
    'record_name_mismatch',
    'record_bad_validity',
    'record_bad_shape',
    'record_too_many_keys',
    'record_too_many_signatures',
    'json_depth',
    'json_parts',
    'json_duplicate_member',
    'json_float',
    'json_negative_zero',
    'json_number_length',
    'json_lone_surrogate',
  ],
  bad_signature: ['record_no_signature', 'record_bad_signature', 'record_unproven_key'],
  unfit_key: ['record_bad_key', 'record_bad_key_id', 'record_weak_key', 'record_banned_key'],
} as const satisfies Record<string, readonly FetchReason[]>;

export type FailureCause = keyof typeof REASONS | 'other';

const CAUSES: ReadonlyMap<string, string> = new Map(
  Object.entries(REASONS).flatMap(([cause, reasons]) => reasons.map((reason) => [reason, cause])),
);

/** The cause behind a stored reason. */
export function causeOf(reason: string): FailureCause {
  const cause = CAUSES.get(reason) ?? 'other';
  return isKeyOf(REASONS, cause) ? cause : 'other';
}

/** The reasons of a cause; none of `other`, which is for all that are not known here. */
export function reasonsOf(cause: FailureCause): readonly string[] {
  return cause === 'other' ? [] : REASONS[cause];
}

/** The reasons of all causes that have a name. */
export function namedReasons(): string[] {
  return [...CAUSES.keys()];
}
