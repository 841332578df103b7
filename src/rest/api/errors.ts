import type { Errcode } from '../../core/base/errors/api-error.js';

/** Errors of one kind, as clients and peers are told of them. */
export interface ErrorRow {
  readonly statuses: readonly number[];
  readonly errcodes: readonly Errcode[];
  readonly meaning: string;
}

/** Every error that a client or peer can get (SPEC §7). */
export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    statuses: [400],
    errcodes: ['M_MISSING_PARAM', 'M_INVALID_PARAM'],
    meaning: 'a parameter, or member of a body, is absent or cannot be read',
  },
  {
    statuses: [400],
    errcodes: ['M_NOT_JSON', 'M_BAD_JSON'],
    meaning: 'the body of a key query is no JSON, or of another shape',
  },
  {
    statuses: [400],
    errcodes: ['M_UNKNOWN'],
    meaning: 'the request breaks a rule of HTTP, or is no offer to the witness',
  },
  {
    statuses: [401],
    errcodes: ['M_MISSING_TOKEN', 'M_UNKNOWN_TOKEN'],
    meaning: 'no token or two; one that nobody knows (with `soft_logout`)',
  },
  {
    statuses: [403],
    errcodes: ['M_FORBIDDEN'],
    meaning: 'previews are off, or the homeserver refuses the user',
  },
  {
    statuses: [403],
    errcodes: ['M_GUEST_ACCESS_FORBIDDEN', 'M_USER_DEACTIVATED', 'M_USER_LOCKED', 'M_USER_SUSPENDED'],
    meaning: 'the user may not ask',
  },
  {
    statuses: [403],
    errcodes: ['M_UNKNOWN'],
    meaning: 'the operator’s rules refuse the address; the witness does not know the signer',
  },
  {
    statuses: [404],
    errcodes: ['M_NOT_FOUND', 'M_UNRECOGNIZED', 'M_UNKNOWN'],
    meaning: 'no such media, record or entry; no such path; a log the witness does not know',
  },
  { statuses: [405], errcodes: ['M_UNRECOGNIZED'], meaning: 'no such method here; `Allow` says which' },
  {
    statuses: [408, 431, 417, 415],
    errcodes: ['M_UNKNOWN', 'M_TOO_LARGE'],
    meaning:
      'the request came too slowly, its head is too large, it expects what is not done, its body is compressed',
  },
  {
    statuses: [412, 416],
    errcodes: ['M_UNKNOWN'],
    meaning: 'a condition or range of a media request cannot be met',
  },
  {
    statuses: [413],
    errcodes: ['M_TOO_LARGE'],
    meaning: 'the body, what it asks for, or its answer is too large',
  },
  {
    statuses: [422],
    errcodes: ['M_UNKNOWN'],
    meaning: 'what is offered to the witness contradicts what it has cosigned',
  },
  {
    statuses: [429],
    errcodes: ['M_LIMIT_EXCEEDED'],
    meaning: 'too many previews, or questions to the witness; `retry_after_ms` says when',
  },
  {
    statuses: [500],
    errcodes: ['M_UNKNOWN'],
    meaning: 'the site failed in another way (`Failed to download content: …`), or we did',
  },
  {
    statuses: [502],
    errcodes: ['M_UNKNOWN', 'M_TOO_LARGE'],
    meaning:
      'the site cannot be found, answered with an error or something else than a page or image, or with too much',
  },
  {
    statuses: [503],
    errcodes: ['M_UNKNOWN'],
    meaning: 'we cannot now: database or media store away, starting, stopping, too much to do',
  },
  { statuses: [504], errcodes: ['M_UNKNOWN'], meaning: 'the site did not answer in time' },
];

/** Errors that any request may end with. */
export const COMMON_ERRORS: readonly number[] = [400, 408, 417, 431, 500, 503];

/** Values of the header `Error-Reason`, by what they are about (SPEC §2.6). */
export const ERROR_REASONS: Readonly<Record<string, readonly string[]>> = {
  'of the request': [
    'bad_http',
    'request_too_slow',
    'head_too_large',
    'expectation_failed',
    'compressed_body',
    'unrecognized',
    'missing_param',
    'invalid_param',
    'bad_json',
    'not_json',
    'json_syntax',
    'json_depth',
    'json_parts',
    'json_duplicate_member',
    'json_float',
    'json_lone_surrogate',
    'json_negative_zero',
    'json_not_utf8',
    'json_number_length',
    'too_large',
  ],
  'of the user': [
    'missing_token',
    'unknown_token',
    'forbidden',
    'guest_access_forbidden',
    'user_deactivated',
    'user_locked',
    'user_suspended',
    'limit_exceeded',
  ],
  'of the log': ['not_in_log', 'log_stopped'],
  'of the witness': [
    'offer_malformed',
    'offer_size_below_old',
    'offer_untrusted',
    'offer_unknown_origin',
    'offer_inconsistent',
    'offer_split_view',
  ],
  'of media': [
    'not_found',
    'bad_media_id',
    'no_thumbnail',
    'precondition_failed',
    'range_not_satisfiable',
    'media_not_read',
    'media_store_away',
    'media_store_refused',
  ],
  'of the address': [
    'url_blocked',
    'address_blocked',
    'scheme',
    'url_too_long',
    'data_url',
    'data_url_forbidden',
  ],
  names: ['dns_no_address', 'dns_failure', 'dns_no_service', 'dns_timeout', 'dns_busy'],
  connection: [
    'connection_refused',
    'connection_reset',
    'host_unreachable',
    'timeout_connect',
    'timeout_headers',
    'timeout_body',
    'aborted',
  ],
  TLS: [
    'tls_expired',
    'tls_not_yet_valid',
    'tls_self_signed',
    'tls_unknown_ca',
    'tls_wrong_name',
    'tls_too_large',
    'tls_failure',
  ],
  'answer of the site': [
    'bad_http',
    'bad_document',
    'body_cut',
    'body_corrupt',
    'content_type',
    'http_encoding',
    'http_redirect',
    'http_status',
    'http_unavailable',
    'redirect_loop',
    'redirect_target',
    'too_large',
  ],
  ours: [
    'store_unavailable',
    'starting',
    'stopping',
    'disk_full',
    'busy',
    'overloaded',
    'address_busy',
    'answers_waiting',
    'bodies_waiting',
    'own_name_unsettled',
    'clock_wrong',
    'log_busy',
    'requests_waiting',
    'tokens_waiting',
    'homeserver_unavailable',
    'worker_died',
    'internal',
  ],
  'of operators': ['csrf_blocked', 'rate_limited', 'sign_in_refused', 'token_missing'],
};
