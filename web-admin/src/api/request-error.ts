import { isRecord } from './is-record.js';

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
  /** Of the API, or NETWORK, STALE_PAGE (an older build) and PAGE_AWAY of our own. */
  readonly code: string;
  readonly details: RequestErrorDetails;

  constructor(code: string, message: string, details: Partial<RequestErrorDetails> = {}) {
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

const CODE_OF_STATUS: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
  503: 'NOT_READY',
  504: 'TIMED_OUT',
};

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** Waiting time in ms: the error's own, else the answer's Retry-After in seconds. */
function retryAfterOf(response: Response, extensions: Record<string, unknown>): number | null {
  if (typeof extensions.retryAfterMs === 'number') return extensions.retryAfterMs;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

/**
 * The first error of an answer as a RequestError. `errors` may be absent or malformed (a proxy's page): then the
 * HTTP status decides the code.
 */
export function readRequestError(response: Response, errors: unknown): RequestError {
  const entry: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const first = isRecord(entry) ? entry : {};
  const extensions = isRecord(first.extensions) ? first.extensions : {};
  const code = textOrNull(extensions.code) ?? CODE_OF_STATUS[response.status] ?? 'INTERNAL_SERVER_ERROR';
  const details: RequestErrorDetails = {
    requestId: textOrNull(extensions.requestId) ?? response.headers.get('x-request-id'),
    retryAfterMs: retryAfterOf(response, extensions),
    requiredRole: textOrNull(extensions.requiredRole),
    causes: textsOf(extensions.causes),
  };
  return new RequestError(
    code,
    textOrNull(first.message) ?? `The server answered ${response.status}`,
    details,
  );
}
