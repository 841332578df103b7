import type { RefusedRequest } from '../limits/reached-bounds.js';

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

/** Further public members of an error's answer. */
export type ErrorMembers = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What an error may carry beside status and message. */
export interface ApiErrorOptions {
  /** `M_UNKNOWN` when absent. */
  errcode?: Errcode;
  cause?: unknown;
  /** Machine-readable (`tls_wrong_name`, `timeout_body`, …); clients get what `publicReason` makes of it. */
  reason?: string;
  /** For operators only: may name addresses, hosts and library messages. */
  detail?: string;
  /** The network address that was refused; for operators only. */
  address?: string;
  /** The status another server answered with, where that is what failed. */
  originStatus?: number;
  /** The `Error-Reason` it named. */
  originReason?: string | undefined;
  /** Seconds for a `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Value of an `Allow` header. */
  allowedMethods?: string;
  /** Another server is to blame, such as that of a dead link: nothing an operator of this one has to look at. */
  isRemote?: boolean;
  /** Which bound the request has reached. */
  bound?: RefusedRequest;
  /** Further public members of the error body, such as `soft_logout` or `retry_after_ms`. */
  extra?: ErrorMembers;
}

/**
 * The one error class. `message` is public by definition: it is what the client reads.
 * Anything that is no `ApiError` reaches the client as 500 with a fixed text.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly errcode: Errcode;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly address: string | null;
  readonly originStatus: number | null;
  readonly originReason: string | null;
  readonly retryAfterSeconds: number | null;
  readonly allowedMethods: string | null;
  readonly isRemote: boolean;
  readonly bound: RefusedRequest | null;
  readonly extra: ErrorMembers;

  constructor(
    readonly status: number,
    message: string,
    options: ApiErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.errcode = options.errcode ?? 'M_UNKNOWN';
    this.reason = options.reason ?? null;
    this.detail = options.detail ?? null;
    this.address = options.address ?? null;
    this.originStatus = options.originStatus ?? null;
    this.originReason = options.originReason ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.allowedMethods = options.allowedMethods ?? null;
    this.isRemote = options.isRemote ?? false;
    this.bound = options.bound ?? null;
    this.extra = options.extra ?? {};
  }
}

/** 404 for a path nobody serves. */
export const unrecognizedRequest = (): ApiError =>
  new ApiError(404, 'Unrecognized request', { errcode: 'M_UNRECOGNIZED' });

/** 404 for something that is not there, or not for this client to know of. */
export const notFound = (options: Omit<ApiErrorOptions, 'errcode'> = {}): ApiError =>
  new ApiError(404, 'Not found', { errcode: 'M_NOT_FOUND', ...options });

/** 405 for a known path with a method it does not serve; `allowed` becomes the `Allow` header. */
export const methodNotAllowed = (allowed: string): ApiError =>
  new ApiError(405, 'Unrecognized request', { errcode: 'M_UNRECOGNIZED', allowedMethods: allowed });

/** 400 for a body that is no JSON text at all. */
export const notJson = (): ApiError => new ApiError(400, 'Content not JSON.', { errcode: 'M_NOT_JSON' });

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

/** 400 for a request that breaks a rule of HTTP. */
export const badHttp = (message: string): ApiError => new ApiError(400, message);

/** 417 for an expectation other than `100-continue`. */
export const expectationFailed = (): ApiError =>
  new ApiError(417, 'The expectation of the request cannot be met');

/** 413 for an answer that would be above the limit; never cut silently. */
export const answerTooLarge = (limitBytes: number): ApiError =>
  new ApiError(413, `The answer would be larger than ${limitBytes} bytes; ask for less at a time`, {
    errcode: 'M_TOO_LARGE',
    bound: 'answer',
  });

/** 503: for now; the client may ask again in five seconds where nothing else is said. */
const forNow = (reason: string, message: string, options: ApiErrorOptions = {}): ApiError =>
  new ApiError(503, message, { retryAfterSeconds: 5, ...options, reason });

/** 503 while too many large answers wait to be sent. */
export const tooManyAnswers = (): ApiError =>
  forNow('answers_waiting', 'Too many large answers wait to be sent; ask for less at a time', {
    retryAfterSeconds: 10,
  });

/** 503 while bodies of requests take as much memory as they may. */
export const tooManyBodies = (): ApiError =>
  forNow('bodies_waiting', 'Too many request bodies are being received');

/** By which a question about our name is told that it came to ourselves. */
export const OWN_NAME_UNSETTLED = 'own_name_unsettled';

/** 503 for our own record while it may be somebody else's to publish. */
export const ownNameUnsettled = (retryAfterSeconds: number): ApiError =>
  forNow(OWN_NAME_UNSETTLED, 'No keys are published under this name until it is known whose it is', {
    retryAfterSeconds,
  });

/** 503 for what states the time, while the clock cannot be right. */
export const clockWrong = (): ApiError =>
  forNow('clock_wrong', 'Nothing is signed until the clock of this server is right', {
    retryAfterSeconds: 30,
  });

/** 503 for an image that the decoder gave up: perhaps there was too much else to do. */
export const imageTimeout = (detail: string): ApiError =>
  forNow('image_timeout', 'The image could not be decoded in time', { detail });

/** 503 while one client has too many requests under way, behind a proxy. */
export const tooManyRequests = (): ApiError =>
  forNow('requests_waiting', 'Too many requests of this client are under way');

/** 503 while too many access tokens wait for the store's or the homeserver's word. */
export const tooManyTokens = (detail: string): ApiError =>
  forNow('tokens_waiting', 'Too many access tokens wait to be looked up', { detail });

/** 503 while too many questions about the log wait for the store. */
export const logBusy = (detail: string): ApiError =>
  forNow('log_busy', 'Too many questions about the log wait to be answered', { detail });

/** 503 when the log is damaged: nothing of it is vouched for any more. */
export const logStopped = (): ApiError =>
  forNow('log_stopped', 'The log has been stopped', { retryAfterSeconds: 3600 });

/** 404 for what the log does not hold, or not yet. */
export const notInLog = (): ApiError =>
  new ApiError(404, 'This is not in the log', { errcode: 'M_NOT_FOUND', reason: 'not_in_log' });

/** 503 while the store cannot be reached; `detail` says to operators why. */
export const storeUnavailable = (cause?: unknown, detail: string | null = null): ApiError =>
  forNow('store_unavailable', 'The database is not reachable at the moment', {
    cause,
    ...(detail === null ? {} : { detail }),
  });

/** 500 when the disk of the database is full: nothing was stored, and asking again soon is of no use. */
export const storeFull = (cause?: unknown): ApiError =>
  new ApiError(500, 'The disk of the database is full', { cause, reason: 'disk_full' });

/** 503 while the service has not finished starting. */
export const notReady = (): ApiError =>
  forNow('starting', 'The service is starting; its database is not ready yet');

/** 503 for work that ends because the service does. */
export const stopping = (): ApiError => forNow('stopping', 'The service is stopping');

/** 500 for everything unforeseen. The cause is logged, never sent. */
export const internalError = (cause: unknown): ApiError =>
  new ApiError(500, 'Internal server error', { cause });

/** The client went away before it had its answer; nothing is sent, and it counts as 499. */
export function clientGone(cause?: unknown): ApiError {
  return new ApiError(400, 'The request ended early', { cause, reason: 'client_gone' });
}
