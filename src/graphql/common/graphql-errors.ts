import { GraphQLError } from 'graphql';

import { isKeyOf } from '../../core/base/json/is-record.js';

/** Codes of top-level errors that we make, with the status of HTTP; Apollo has some more. */
const STATUS = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  CSRF_BLOCKED: 403,
  GRAPHQL_PARSE_FAILED: 400,
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 400,
  OPERATION_NOT_TRUSTED: 400,
  QUERY_TOO_COMPLEX: 400,
  RATE_LIMITED: 429,
  TIMED_OUT: 504,
  NOT_READY: 503,
} as const;

export type TopLevelCode = keyof typeof STATUS;

/** A top-level error whose text clients may read. `extra` becomes further members of `extensions`. */
export function graphqlError(
  code: TopLevelCode,
  message: string,
  extra: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { ...extra, code, http: { status: STATUS[code] } } });
}

/** 400 for arguments that are well-formed but not possible. */
export function badUserInput(message: string): GraphQLError {
  return graphqlError('BAD_USER_INPUT', message);
}

/** The HTTP status of one of our codes; `null` for a code that is not ours. */
export function statusOf(code: unknown): number | null {
  return typeof code === 'string' && isKeyOf(STATUS, code) ? STATUS[code] : null;
}
