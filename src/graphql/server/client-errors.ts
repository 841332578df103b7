import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { isStoreFull, isStoreUnavailable } from '../../core/store/store-errors.js';
import { ApiError, storeFull, storeUnavailable } from '../../core/base/errors/api-error.js';
import { graphqlError, statusOf, type TopLevelCode } from '../common/graphql-errors.js';

/** An error as clients see it, and the HTTP status that goes with it. */
export interface ClientError {
  formatted: GraphQLFormattedError & { extensions: Record<string, unknown> & { code: string } };
  status: number;
  /** What is to be logged, since clients must not see it or an operator has to act; `null` for all else. */
  hidden: unknown;
}

const INTERNAL = 'INTERNAL_SERVER_ERROR';

const SUGGESTION = / ?Did you mean .*$/s;

const BY_STATUS: ReadonlyMap<number, TopLevelCode> = new Map([
  [400, 'BAD_USER_INPUT'],
  [403, 'FORBIDDEN'],
  [404, 'BAD_USER_INPUT'],
  [413, 'BAD_USER_INPUT'],
  [429, 'RATE_LIMITED'],
  [503, 'NOT_READY'],
]);

/**
 * The one place where errors become public. Only errors that were made for clients keep their text; all others
 * become "Internal error", whatever they say. `suggests` leaves names of the schema in them that may have been meant.
 */
export function toClientError(
  error: unknown,
  requestId: string,
  { suggests = false }: { suggests?: boolean } = {},
): ClientError {
  const made = publicError(error);
  const extensions: Record<string, unknown> = { ...made?.extensions };
  delete extensions['http'];
  delete extensions['stacktrace'];
  const code = typeof extensions['code'] === 'string' ? extensions['code'] : INTERNAL;
  const { locations, path } = error instanceof GraphQLError ? error : {};
  const status = statusOfError(made);
  return {
    formatted: {
      message: made === null ? 'Internal error' : messageOf(made, suggests),
      ...(locations === undefined ? {} : { locations }),
      ...(path === undefined ? {} : { path }),
      extensions: { ...extensions, code, requestId },
    },
    status,
    hidden: status === 500 ? (originalOf(error) ?? error) : null,
  };
}

function messageOf({ message }: GraphQLError, suggests: boolean): string {
  return suggests ? message : message.replace(SUGGESTION, '');
}

/** The error made for clients in or behind what was thrown; `null` when there is none. */
function publicError(error: unknown): GraphQLError | null {
  const original = originalOf(error) ?? error;
  if (original instanceof ApiError) return ofApiError(original);
  if (isStoreFull(original)) return new GraphQLError(storeFull().message, { extensions: { code: INTERNAL } });
  if (isStoreUnavailable(original)) return ofApiError(storeUnavailable(original));
  if (!(error instanceof GraphQLError)) return null;
  const { code } = error.extensions;
  return statusOf(code) !== null || code === 'GRAPHQL_VALIDATION_FAILED' ? error : null;
}

function ofApiError(error: ApiError): GraphQLError | null {
  const code = BY_STATUS.get(error.status);
  if (code === undefined) return null;
  const { retryAfterSeconds } = error;
  const wait = retryAfterSeconds === null ? {} : { retryAfterMs: Math.ceil(retryAfterSeconds * 1000) };
  return graphqlError(code, error.message, wait);
}

function statusOfError(error: GraphQLError | null): number {
  const code = error === null ? INTERNAL : error.extensions['code'];
  return code === INTERNAL ? 500 : (statusOf(code) ?? 400);
}

function originalOf(error: unknown): unknown {
  return error instanceof GraphQLError ? error.originalError : undefined;
}
