import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLError } from 'graphql';

import type { Logger } from '../../core/base/logger.js';
import { toClientError, type ClientError } from './client-errors.js';
import { graphqlError } from '../common/graphql-errors.js';
import type { GraphqlContext } from '../context.js';

/** What goes back, in the form of HTTP. */
export interface GraphqlAnswer {
  status: number;
  retryAfterSeconds: number | null;
  /** JSON. */
  body: string;
}

/** An answer without data. Hidden errors go to the log. */
export function answerErrors(errors: readonly unknown[], requestId: string, logger: Logger): GraphqlAnswer {
  const made = errors.map((error) => toClientError(error, requestId));
  logHidden(made, { requestId, operation: null }, logger);
  return {
    status: made[0]?.status ?? 500,
    retryAfterSeconds: retryAfter(made),
    body: JSON.stringify({ errors: made.map(({ formatted }) => formatted) }),
  };
}

/** Replaces the errors of an answer by what clients may see, and sets its status. */
export function errorPlugin(logger: Logger): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response, errors, contextValue, operationName }) => {
        if (errors === undefined || response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const told = contextValue.viewer === null ? withoutSchema(errors) : errors;
        // Hand-written operations come with a token; the pages' own are right.
        const suggests = contextValue.viewer?.method === 'api_token';
        const made = told.map((error) => toClientError(error, contextValue.requestId, { suggests }));
        logHidden(made, { requestId: contextValue.requestId, operation: operationName ?? null }, logger);
        singleResult.errors = made.map(({ formatted }) => formatted);
        response.http.status = statusOfAnswer(made, singleResult.data);
        const seconds = retryAfter(made);
        if (seconds !== null) response.http.headers.set('retry-after', String(seconds));
      },
    }),
  };
}

/** What anonymous clients get: errors of validation and of values would tell them which types and fields there are. */
function withoutSchema(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const isOfRequest = errors.every(({ path }) => path === undefined);
  return isOfRequest ? [graphqlError('UNAUTHENTICATED', 'Sign in first')] : errors;
}

/** A part that failed leaves the rest of an answer good, unless it says something about the whole. */
function statusOfAnswer(errors: readonly ClientError[], data: unknown): number {
  const [first] = errors;
  if (first === undefined) return 200;
  const telling = errors.find(({ status }) => status !== 500 && status !== 400);
  return telling?.status ?? (data === undefined || data === null ? first.status : 200);
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
