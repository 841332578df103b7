/** Error codes sent to clients. Clients branch on them; Matrix spec, "Standard error response". */
export type Errcode =
  | 'M_UNKNOWN'
  | 'M_UNRECOGNIZED'
  | 'M_NOT_JSON'
  | 'M_BAD_JSON'
  | 'M_MISSING_PARAM'
  | 'M_INVALID_PARAM'
  | 'M_TOO_LARGE'
  | 'M_NOT_FOUND'
  | 'M_MISSING_TOKEN'
  | 'M_UNKNOWN_TOKEN'
  | 'M_FORBIDDEN'
  | 'M_GUEST_ACCESS_FORBIDDEN'
  | 'M_USER_DEACTIVATED'
  | 'M_USER_LOCKED'
  | 'M_USER_SUSPENDED'
  | 'M_LIMIT_EXCEEDED';

/** Bounds of single requests: reaching one takes nothing from anybody else. */
export type RefusedRequest =
  | 'head'
  | 'handshake'
  | 'slow_request'
  | 'body'
  | 'json'
  | 'servers'
  | 'key_ids'
  | 'answer'
  | 'previews'
  | 'sign_in'
  | 'graphql'
  | 'request_lines';

/** Further public members of an error's answer. */
export type ErrorMembers = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What an error may carry beside status and message. */
export type ApiErrorOptions = Partial<
  Omit<ApiError, 'status' | 'message' | 'name' | 'stack' | 'cause'> & { cause: unknown }
>;

/**
 * The one error class. `message` is public by definition: it is what the client reads.
 * Anything that is no `ApiError` reaches the client as 500 with a fixed text.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly errcode: Errcode = 'M_UNKNOWN';
  /** Machine-readable (`tls_wrong_name`, `timeout_body`, …); clients get what `publicReason` makes of it. */
  readonly reason: string | null = null;
  /** For operators only: may name addresses, hosts and library messages. */
  readonly detail: string | null = null;
  /** The network address that was refused; for operators only. */
  readonly address: string | null = null;
  /** The status another server answered with, where that is what failed, and the `Error-Reason` it named. */
  readonly originStatus: number | null = null;
  readonly originReason: string | null = null;
  /** Seconds for a `Retry-After` header. */
  readonly retryAfterSeconds: number | null = null;
  /** Value of an `Allow` header. */
  readonly allowedMethods: string | null = null;
  /** Another server is to blame, such as that of a dead link: nothing an operator of this one has to look at. */
  readonly isRemote: boolean = false;
  /** Which bound the request has reached. */
  readonly bound: RefusedRequest | null = null;
  /** Further public members of the error body, such as `soft_logout` or `retry_after_ms`. */
  readonly extra: ErrorMembers = {};

  constructor(
    readonly status: number,
    message: string,
    { cause, ...facts }: ApiErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }
}

/** The JSON a client gets for an error (Matrix spec, "Standard error response"). */
export function errorBody({ errcode, message, extra }: ApiError): ErrorMembers {
  return { errcode, error: message, ...extra };
}

/** 503: for now; the client may ask again in five seconds where nothing else is said. */
export const unavailable = (reason: string, message: string, options: ApiErrorOptions = {}): ApiError =>
  new ApiError(503, message, { retryAfterSeconds: 5, ...options, reason });

/** 404 for something that is not there, or not for this client to know of. */
export const notFound = (options: Omit<ApiErrorOptions, 'errcode'> = {}): ApiError =>
  new ApiError(404, 'Not found', { errcode: 'M_NOT_FOUND', ...options });

/** 405 for a known path with a method it does not serve; `allowed` becomes the `Allow` header. */
export const methodNotAllowed = (allowed: string): ApiError =>
  new ApiError(405, 'Unrecognized request', { errcode: 'M_UNRECOGNIZED', allowedMethods: allowed });

/** 400 for JSON of the wrong shape; `message` says what was expected and where. */
export const badJson = (message: string): ApiError => new ApiError(400, message, { errcode: 'M_BAD_JSON' });

/** 400 for a required member or parameter that is absent. */
export const missingParam = (message: string): ApiError =>
  new ApiError(400, message, { errcode: 'M_MISSING_PARAM' });

/** 400 for a parameter that cannot be read. */
export const invalidParam = (message: string): ApiError =>
  new ApiError(400, message, { errcode: 'M_INVALID_PARAM' });

/** 413 for a request body above the limit. */
export const bodyTooLarge = (limitBytes: number): ApiError =>
  new ApiError(413, `Request body is larger than ${limitBytes} bytes`, {
    errcode: 'M_TOO_LARGE',
    bound: 'body',
  });

/** 503 while too many access tokens wait for the store's or the homeserver's word. */
export const tooManyTokens = (detail: string): ApiError =>
  unavailable('tokens_waiting', 'Too many access tokens are waiting to be looked up', { detail });

/** 503 while too many questions about the log wait for the store. */
export const logBusy = (detail: string): ApiError =>
  unavailable('log_busy', 'Too many requests to the log are waiting', { detail });

/** 404 for what the log does not hold, or not yet. */
export const notInLog = (): ApiError =>
  new ApiError(404, 'This is not in the log', { errcode: 'M_NOT_FOUND', reason: 'not_in_log' });

/** 503 while the store cannot be reached; `detail` says to operators why. */
export const storeUnavailable = (cause?: unknown, detail: string | null = null): ApiError =>
  unavailable('store_unavailable', 'The database is not reachable at the moment', { cause, detail });

/** 500 when the disk of the database is full: nothing was stored, and asking again soon is of no use. */
export const storeFull = (cause?: unknown): ApiError =>
  new ApiError(500, 'The disk of the database is full', { cause, reason: 'disk_full' });

/** 503 while the service has not finished starting. */
export const notReady = (): ApiError =>
  unavailable('starting', 'The service is starting; its database is not ready yet');

/** 503 for work that ends because the service does. */
export const stopping = (): ApiError => unavailable('stopping', 'The service is stopping');

/** The client went away before it had its answer; nothing is sent, and it counts as 499. */
export function clientGone(cause?: unknown): ApiError {
  return new ApiError(400, 'The request ended early', { cause, reason: 'client_gone' });
}

/** The code of an error of the system, Node or a database (`ENOENT`, `ERR_…`, `40001`); empty without one. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Of errors that are told apart by their status alone. */
const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'bad_http'],
  [412, 'precondition_failed'],
  [415, 'compressed_body'],
  [416, 'range_not_satisfiable'],
  [417, 'expectation_failed'],
]);

/**
 * What the header `Error-Reason` says (SPEC §2.6): lower-case letters, digits and underscores. That a name leads to a
 * refused address looks as if it had none, as in the message: else names inside a network could be found out.
 */
export function publicReason({ reason, errcode, status }: ApiError): string {
  if (reason === 'address_blocked' && status !== 403) return 'dns_no_address';
  if (reason !== null) return reason;
  return errcode === 'M_UNKNOWN'
    ? (BY_STATUS.get(status) ?? 'internal')
    : errcode.slice('M_'.length).toLowerCase();
}
