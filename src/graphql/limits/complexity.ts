import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, getNamedType, getNullableType, isCompositeType, isListType } from 'graphql';
// Its entry for ES modules brings a second copy of graphql along.
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity/cjs';

import { badUserInput, graphqlError } from '../common/graphql-errors.js';
import type { GraphqlContext } from '../context.js';
import { DEFAULT_PAGE } from './limits.js';

/** What a list without a size is taken for. */
const PLAIN_LIST = 10;

/**
 * The cost of an operation before it runs: every field 1, what is inside a page as often as the page is long, inside
 * other lists ten times; introspection nothing. Throws `BAD_USER_INPUT` for arguments that cannot be read, and
 * `QUERY_TOO_COMPLEX` when fragments unfold beyond measure.
 */
export function complexityOf(
  operation: Pick<Parameters<typeof getComplexity>[0], 'schema' | 'query' | 'variables' | 'operationName'>,
  limit: number,
): number {
  try {
    return getComplexity({ ...operation, estimators: [estimate], maxQueryNodes: limit });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.includes('number of nodes')) throw tooComplex('complexity', limit, limit + 1);
    throw badUserInput(error.message);
  }
}

/** Refuses operations above a limit when they are known to be valid, before they run. */
export function complexityPlugin(limit: number): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({
        schema,
        document: query,
        request: { operationName, variables = {} },
      }) => {
        const named = operationName === undefined ? {} : { operationName };
        const actual = complexityOf({ schema, query, variables, ...named }, limit);
        if (actual > limit) throw tooComplex('complexity', limit, actual);
      },
    }),
  };
}

/** 400 for an operation above a limit; `what` names the limit. */
export function tooComplex(what: string, limit: number, actual: number): GraphQLError {
  const message = `The operation is too large: its ${what} is ${actual}, at most ${limit} is allowed`;
  return graphqlError('QUERY_TOO_COMPLEX', message, { what, limit, actual });
}

function estimate({ type, field, args, childComplexity }: ComplexityEstimatorArgs): number {
  if (field.name.startsWith('__') || type.name.startsWith('__')) return 0;
  if (type.name.endsWith('Connection')) return 1 + childComplexity;
  return 1 + timesOf(field.type, args) * childComplexity;
}

function timesOf(
  type: ComplexityEstimatorArgs['field']['type'],
  args: Readonly<Record<string, unknown>>,
): number {
  if (getNamedType(type).name.endsWith('Connection')) return sizeOf(args);
  if (!isListType(getNullableType(type)) || !isCompositeType(getNamedType(type))) return 1;
  return Array.isArray(args['ids']) ? args['ids'].length : PLAIN_LIST;
}

/** Sizes beyond what is possible are refused by the resolver; here they just make the operation expensive. */
function sizeOf({ first, last }: Readonly<Record<string, unknown>>): number {
  const size = first ?? last ?? DEFAULT_PAGE;
  return typeof size === 'number' ? Math.max(1, size) : DEFAULT_PAGE;
}
