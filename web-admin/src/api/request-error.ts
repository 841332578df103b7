/** Codes of top-level errors this UI acts upon; any other code is shown as it is. */
export type RequestErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'CSRF_BLOCKED'
  | 'OPERATION_NOT_TRUSTED'
  | 'QUERY_TOO_COMPLEX'
  | 'BAD_USER_INPUT'
  | 'RATE_LIMITED'
  | 'TIMED_OUT'
  | 'NOT_READY'
  | 'INTERNAL_SERVER_ERROR'
  | 'NETWORK'
  | 'STALE_PAGE'
  | 'PAGE_AWAY';

export interface RequestErrorDetails {
  /** Shown for copying; null when the answer did not come from our server. */
  requestId: string | null;
  /** How long to wait before the next attempt, for RATE_LIMITED and NOT_READY; null when not said. */
  retryAfterMs: number | null;
  /** The lowest role that may do this, for FORBIDDEN; null when not said. */
  requiredRole: string | null;
  /** Likely causes as sentences, for NOT_READY; empty when none are said. */
  causes: readonly string[];
}

/** A request that failed as a whole. Expected failures of a mutation are `userErrors` in its payload instead. */
export class RequestError extends Error {
  readonly code: RequestErrorCode | (string & {});
  readonly details: RequestErrorDetails;

  constructor(code: RequestError['code'], message: string, details: Partial<RequestErrorDetails> = {}) {
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.details = { requestId: null, retryAfterMs: null, requiredRole: null, causes: [], ...details };
  }
}

/** Any thrown value as a RequestError; what is unknown counts as a network error. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError('NETWORK', error instanceof Error ? error.message : String(error));
}
