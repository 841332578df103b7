import type { ApiError } from '../../core/base/errors/api-error.js';
import { publicReason } from '../../core/base/errors/public-reason.js';
import type { Answer } from '../respond.js';

const BY_REASON: ReadonlyMap<string, string> = new Map([
  ['csrf_blocked', 'CSRF_BLOCKED'],
  ['rate_limited', 'RATE_LIMITED'],
  ['store_unavailable', 'NOT_READY'],
  ['starting', 'NOT_READY'],
  ['stopping', 'NOT_READY'],
]);

const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'BAD_REQUEST'],
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [413, 'BAD_REQUEST'],
  [415, 'BAD_REQUEST'],
  [429, 'RATE_LIMITED'],
  [503, 'NOT_READY'],
]);

/** The code of an error on the operators' side, the same words as in GraphQL's `extensions.code`. */
function adminErrorCode({ reason, status }: Pick<ApiError, 'reason' | 'status'>): string {
  return BY_REASON.get(reason ?? '') ?? BY_STATUS.get(status) ?? 'INTERNAL_SERVER_ERROR';
}

/** Sends an error in the form GraphQL has, which the pages read anyway; or drops the connection when too late. */
export function sendAdminError(answer: Answer, error: ApiError): void {
  const { response, requestId } = answer;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { retryAfterSeconds, allowedMethods } = error;
  const wait = retryAfterSeconds === null ? {} : { retryAfterMs: Math.ceil(retryAfterSeconds) * 1000 };
  const extensions = { code: adminErrorCode(error), requestId, ...wait, ...error.extra };
  if (retryAfterSeconds !== null) response.setHeader('Retry-After', Math.ceil(retryAfterSeconds));
  if (allowedMethods !== null) response.setHeader('Allow', allowedMethods);
  response.setHeader('Error-Reason', publicReason(error));
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.statusCode = error.status;
  response.end(JSON.stringify({ errors: [{ message: error.message, extensions }] }));
}
