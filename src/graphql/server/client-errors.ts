import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { ApiError, storeFull, storeUnavailable } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';
import { isStoreFull, isStoreUnavailable } from '../../core/store/store-errors.js';
import { graphqlError, statusOf, type TopLevelCode } from '../common/graphql-errors.js';
import type { GraphqlContext } from '../context.js';

/** A response in the form of HTTP. */
export interface GraphqlAnswer {
  status: number;
  retryAfterSeconds: number | null;
  /** JSON. */
  body: string;
}

/** An error as clients see it, and the HTTP status that goes with it. */
export interface ClientError {
  formatted: GraphQLFormattedError & { extensions: Record<string, unknown> & { code: string } };
  status: number;
  /** What is logged instead of being shown, or so that an operator acts; `null` for all else. */
  hidden: unknown;
}

const INTERNAL = 'INTERNAL_SERVER_ERROR';
const BY_STATUS: ReadonlyMap<number, TopLevelCode> = new Map([
  [400, 'BAD_USER_INPUT'],
  [403, 'FORBIDDEN'],
  [404, 'BAD_USER_INPUT'],
  [413, 'BAD_USER_INPUT'],
  [429, 'RATE_LIMITED'],
  [503, 'NOT_READY'],
]);

/**
 * The one place where errors become public. Only errors that were made for clients keep their text; all others become
 * "Internal error".
 */
export function toClientError(error: unknown, requestId: string): ClientError {
  const original = (error instanceof GraphQLError ? error.originalError : undefined) ?? error;
  const shown = publicError(error, original);
  const { http: _http, stacktrace: _stack, ...extensions } = shown?.extensions ?? {};
  const code = typeof extensions['code'] === 'string' ? extensions['code'] : INTERNAL;
  const message = shown?.message ?? 'Internal error';
  const { locations, path } = error instanceof GraphQLError ? error : {};
  const status = code === INTERNAL ? 500 : (statusOf(code) ?? 400);
  return {
    formatted: {
      message,
      ...(locations === undefined ? {} : { locations }),
      ...(path === undefined ? {} : { path }),
      extensions: { ...extensions, code, requestId },
    },
    status,
    hidden: status === 500 ? original : null,
  };
}

/** The error made for clients in or behind what was thrown; `null` when there is none. */
function publicError(error: unknown, original: unknown): GraphQLError | null {
  if (original instanceof ApiError) return ofApiError(original);
  if (isStoreFull(original)) return new GraphQLError(storeFull().message, { extensions: { code: INTERNAL } });
  if (isStoreUnavailable(original)) return ofApiError(storeUnavailable(original));
  if (!(error instanceof GraphQLError)) return null;
  const { code } = error.extensions;
  return statusOf(code) !== null || code === 'GRAPHQL_VALIDATION_FAILED' ? error : null;
}

function ofApiError({ status, message, retryAfterSeconds }: ApiError): GraphQLError | null {
  const code = BY_STATUS.get(status);
  if (code === undefined) return null;
  const wait = retryAfterSeconds === null ? {} : { retryAfterMs: Math.ceil(retryAfterSeconds * 1000) };
  return graphqlError(code, message, wait);
}

/** A response without data. Hidden errors are logged. */
export function answerError(error: unknown, requestId: string, logger: Logger): GraphqlAnswer {
  const made = toClientError(error, requestId);
  logHidden([made], { requestId, operation: null }, logger);
  return {
    status: made.status,
    retryAfterSeconds: retryAfter([made]),
    body: JSON.stringify({ errors: [made.formatted] }),
  };
}

/** Replaces the errors of a response by what clients may see, and sets its status. */
export function errorPlugin(logger: Logger): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response, errors, contextValue, operationName }) => {
        if (errors === undefined || response.body.kind !== 'single') return;
        const { viewer, requestId } = contextValue;
        const { singleResult } = response.body;
        const told = viewer === null ? withoutSchema(errors) : errors;
        const made = told.map((error) => toClientError(error, requestId));
        logHidden(made, { requestId, operation: operationName ?? null }, logger);
        singleResult.errors = made.map(({ formatted }) => formatted);
        response.http.status = statusOfAnswer(made, singleResult.data);
        const seconds = retryAfter(made);
        if (seconds !== null) response.http.headers.set('retry-after', String(seconds));
      },
    }),
  };
}

/** For anonymous clients: errors of validation and of values would tell which types and fields there are. */
function withoutSchema(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const isOfRequest = errors.every(({ path }) => path === undefined);
  return isOfRequest ? [graphqlError('UNAUTHENTICATED', 'Sign in first')] : errors;
}

/** A part that failed leaves the rest of a response good, unless it says something about the whole. */
function statusOfAnswer(errors: readonly ClientError[], data: unknown): number {
  const telling = errors.find(({ status }) => status !== 500 && status !== 400);
  return telling?.status ?? (data === undefined || data === null ? (errors[0]?.status ?? 200) : 200);
}

function retryAfter(errors: readonly ClientError[]): number | null {
  const waits = errors.map(({ formatted }) => formatted.extensions['retryAfterMs']);
  const longestMs = Math.max(0, ...waits.filter((wait) => typeof wait === 'number'));
  return longestMs === 0 ? null : Math.ceil(longestMs / 1000);
}

function logHidden(
  errors: readonly ClientError[],
  { requestId, operation }: { requestId: string; operation: string | null },
  logger: Logger,
): void {
  for (const { hidden, formatted } of errors) {
    if (hidden === null) continue;
    const line = { request_id: requestId, operation, path: formatted.path?.join('.'), err: hidden };
    logger.error(line, 'a GraphQL operation failed');
  }
}
