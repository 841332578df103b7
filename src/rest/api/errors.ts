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
    meaning: 'the request breaks a rule of HTTP',
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
    meaning: 'the operator’s rules refuse the address',
  },
  {
    statuses: [404],
    errcodes: ['M_NOT_FOUND', 'M_UNRECOGNIZED', 'M_UNKNOWN'],
    meaning: 'no such media, record or entry; no such path',
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
    statuses: [429],
    errcodes: ['M_LIMIT_EXCEEDED'],
    meaning: 'too many previews; `retry_after_ms` says when',
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

/** What a value of the header `Error-Reason` means. */
export interface ErrorReason {
  /** Which it comes with. */
  readonly statuses: readonly number[];
  readonly meaning: string;
}

/** Every value of the header `Error-Reason` that a client or peer can get (SPEC §2.6), those of operators last. */
export const ERROR_REASONS: Readonly<Record<string, ErrorReason>> = {
  bad_http: {
    statuses: [400, 500, 502],
    meaning: 'the request, or the answer of the site, breaks a rule of HTTP',
  },
  request_too_slow: { statuses: [408], meaning: 'the request took too long to arrive' },
  head_too_large: { statuses: [431], meaning: 'the head of the request is too large' },
  expectation_failed: { statuses: [417], meaning: 'the request expects what is not done here' },
  compressed_body: { statuses: [415], meaning: 'the body of the request is compressed' },
  unrecognized: { statuses: [404, 405], meaning: 'there is no such path, or no such method on it' },
  missing_param: { statuses: [400], meaning: 'a parameter, or a member of the body, is absent' },
  invalid_param: { statuses: [400], meaning: 'a parameter, or a part of the path, cannot be read' },
  bad_json: { statuses: [400], meaning: 'the body is JSON of another shape than is asked for' },
  not_json: { statuses: [400], meaning: 'the body is no JSON' },
  json_syntax: { statuses: [400], meaning: 'the body is no JSON by its syntax' },
  json_depth: { statuses: [400], meaning: 'the JSON of the body is nested too deeply' },
  json_parts: { statuses: [413], meaning: 'the JSON of the body has too many values and escapes' },
  json_duplicate_member: { statuses: [400], meaning: 'an object of the body has two members of one name' },
  json_float: { statuses: [400], meaning: 'a number of the body is no plain integer' },
  json_lone_surrogate: {
    statuses: [400],
    meaning: 'a string of the body holds half of a pair of surrogates',
  },
  json_negative_zero: { statuses: [400], meaning: 'a number of the body is negative zero' },
  json_not_utf8: { statuses: [400], meaning: 'the body is not in UTF-8' },
  json_number_length: { statuses: [400], meaning: 'a number of the body is too long' },
  too_large: {
    statuses: [413, 502],
    meaning: 'the body, what it asks for or its answer is too large; of a preview, what the site sent',
  },
  missing_token: { statuses: [401], meaning: 'there is no access token, or there are two' },
  unknown_token: { statuses: [401], meaning: 'nobody knows the access token, or it has ended' },
  forbidden: { statuses: [403], meaning: 'this user may not do this, or previews are off' },
  guest_access_forbidden: { statuses: [403], meaning: 'the user is a guest' },
  user_deactivated: { statuses: [403], meaning: 'the account of the user is deactivated' },
  user_locked: { statuses: [403], meaning: 'the account of the user is locked' },
  user_suspended: { statuses: [403], meaning: 'the account of the user is suspended' },
  limit_exceeded: {
    statuses: [429],
    meaning: 'there were too many requests; `retry_after_ms` says when there may be more',
  },
  not_in_log: { statuses: [404], meaning: 'the log does not hold it, or not yet' },
  log_stopped: { statuses: [503], meaning: 'the log is damaged, and nothing of it is vouched for any more' },
  log_busy: { statuses: [503], meaning: 'too many questions about the log wait' },
  not_found: { statuses: [404], meaning: 'there is no such media, key or page' },
  bad_media_id: { statuses: [404], meaning: 'the text is no media id' },
  no_thumbnail: { statuses: [404], meaning: 'there is no thumbnail of this media' },
  precondition_failed: { statuses: [412], meaning: 'the media is not what the condition asks for' },
  range_not_satisfiable: { statuses: [416], meaning: 'the range begins behind the end of the media' },
  media_not_read: { statuses: [500], meaning: 'the file of the media could not be read' },
  media_not_written: { statuses: [500], meaning: 'the file of the media could not be written' },
  media_store_away: { statuses: [503], meaning: 'the media store does not answer' },
  media_store_refused: { statuses: [503], meaning: 'the media store refuses us' },
  url_blocked: { statuses: [403], meaning: 'a rule of the operator refuses the address' },
  address_blocked: { statuses: [403], meaning: 'the IP address stands in a range that is refused' },
  scheme: { statuses: [500], meaning: 'the address, or one it leads to, is neither http nor https' },
  url_too_long: { statuses: [500], meaning: 'the address, or one it leads to, is too long' },
  data_url: { statuses: [500], meaning: 'the data URL cannot be read' },
  data_url_forbidden: { statuses: [500], meaning: 'a data URL stands where none may be' },
  dns_no_address: { statuses: [502], meaning: 'the name has no address that may be asked' },
  dns_failure: { statuses: [502], meaning: 'the name servers answered with an error' },
  dns_timeout: { statuses: [502], meaning: 'the name servers did not answer in time' },
  dns_busy: { statuses: [502], meaning: 'too many names are being looked up here' },
  connection_refused: { statuses: [500], meaning: 'nobody listens there' },
  connection_reset: { statuses: [504], meaning: 'the site closed the connection instead of answering' },
  host_unreachable: { statuses: [500], meaning: 'there is no way to the address' },
  timeout_connect: { statuses: [504], meaning: 'the site did not accept a connection in time' },
  timeout_headers: { statuses: [504], meaning: 'the site did not begin an answer in time' },
  timeout_body: { statuses: [502], meaning: 'the site did not finish its answer in time' },
  aborted: { statuses: [500], meaning: 'the work was told to stop' },
  tls_expired: { statuses: [500], meaning: 'the certificate of the site has expired' },
  tls_not_yet_valid: { statuses: [500], meaning: 'the certificate of the site is not valid yet' },
  tls_self_signed: { statuses: [500], meaning: 'the certificate of the site is signed by itself' },
  tls_unknown_ca: { statuses: [500], meaning: 'nobody we trust has signed the certificate of the site' },
  tls_wrong_name: { statuses: [500], meaning: 'the certificate of the site is for another name' },
  tls_too_large: { statuses: [500], meaning: 'the site sent too much for a TLS handshake' },
  tls_failure: { statuses: [500], meaning: 'TLS failed in another way' },
  body_cut: { statuses: [502], meaning: 'the connection ended inside the body' },
  body_corrupt: { statuses: [502], meaning: 'the body cannot be decompressed' },
  content_type: { statuses: [502], meaning: 'the site sent something else than a page or an image' },
  http_encoding: { statuses: [500], meaning: 'the body is compressed in a way that is not known here' },
  http_status: { statuses: [502], meaning: 'the site answered with an error' },
  http_unavailable: { statuses: [502], meaning: 'the site answered that it cannot now (429 or 5xx)' },
  redirect_loop: { statuses: [500], meaning: 'there were too many redirects' },
  redirect_target: { statuses: [500], meaning: 'a redirect leads nowhere' },
  store_unavailable: { statuses: [503], meaning: 'the database is away' },
  starting: { statuses: [503], meaning: 'the service is starting' },
  stopping: { statuses: [503], meaning: 'the service is stopping' },
  disk_full: { statuses: [500], meaning: 'our disk is full, or all of it that previews may fill' },
  busy: { statuses: [503], meaning: 'too many downloads are under way' },
  overloaded: { statuses: [503], meaning: 'too much work waits' },
  answers_waiting: { statuses: [503], meaning: 'too many large answers wait to be sent' },
  bodies_waiting: { statuses: [503], meaning: 'too many bodies of requests are being received' },
  requests_waiting: { statuses: [503], meaning: 'too many requests of this client are under way' },
  tokens_waiting: { statuses: [503], meaning: 'too many access tokens wait to be looked up' },
  own_name_unsettled: { statuses: [503], meaning: 'it is not yet known which keys our name has' },
  clock_wrong: { statuses: [503], meaning: 'the clock of this server shows an impossible time' },
  homeserver_unavailable: {
    statuses: [503],
    meaning: 'the homeserver cannot be asked about the access token',
  },
  image_timeout: { statuses: [503], meaning: 'the image could not be decoded in time' },
  worker_died: { statuses: [500], meaning: 'the second thread ended' },
  worker_unavailable: { statuses: [500], meaning: 'the second thread cannot be started' },
  internal: { statuses: [500], meaning: 'something went wrong here that nobody foresaw' },
  csrf_blocked: { statuses: [403], meaning: 'the request comes from a page of another site' },
  rate_limited: { statuses: [429], meaning: 'there were too many tries to sign in' },
  sign_in_refused: {
    statuses: [401],
    meaning: 'the code or token that was to sign in is wrong, used or expired',
  },
  token_missing: { statuses: [401], meaning: 'there is no access token, and no session' },
};
