import { registerEnumType } from 'type-graphql';

import { ROLES, type Role as CoreRole } from '../../core/access/operators/viewer.js';
import { STEP_STATUSES } from '../../core/base/trace.js';
import { RUN_OUTCOMES } from '../../core/job-runner/job-run.js';

/** Names on the wire → words inside: `NOT_ALLOWED` → `not_allowed`. */
type NamesOf<Word extends string> = { readonly [Each in Word as Uppercase<Each>]: Each };

/** Registers an enumeration of words that have the same names on the wire, in capitals. */
export function wordsEnum<const Word extends string>(
  name: string,
  words: readonly Word[],
  description?: string,
): NamesOf<Word> {
  const named = Object.fromEntries(words.map((word) => [word.toUpperCase(), word]));
  registerEnumType(named, { name, ...(description === undefined ? {} : { description }) });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of just these words
  return named as NamesOf<Word>;
}

/** Names on the wire → values inside, for enumerations that several areas use. */
export const Role = wordsEnum('Role', ROLES);
export type Role = CoreRole;

export const SortDirection = wordsEnum('SortDirection', ['asc', 'desc']);

export const StepStatus = wordsEnum('StepStatus', STEP_STATUSES);

/** Outcome of a job's run and of an audited operation; the values are those of the tables. */
export const RunOutcome = wordsEnum('RunOutcome', RUN_OUTCOMES);

/** `PASSWORD` and `OIDC` are named in the schema for the day they exist. */
export const SignInMethod = {
  CODE: 'code',
  ADMIN_TOKEN: 'token',
  PASSWORD: 'password',
  OIDC: 'oidc',
  HOMESERVER: 'homeserver',
  API_TOKEN: 'api_token',
  COMMAND: 'command',
} as const;
export type SignInMethod = (typeof SignInMethod)[keyof typeof SignInMethod];
registerEnumType(SignInMethod, { name: 'SignInMethod' });

/** Reasons of expected failures of mutations. */
const USER_ERROR_CODES = [
  'INVALID',
  'NOT_FOUND',
  'CONFLICT',
  'ALREADY_RUNNING',
  'COUNT_MISMATCH',
  'TOO_MANY',
  'FEDERATION_NOT_ALLOWED',
  'BLOCKED_BY_RULE',
  'ADDRESS_BLOCKED',
  'DNS_FAILED',
  'CONNECT_FAILED',
  'TLS_FAILED',
  'TIMED_OUT',
  'REMOTE_ERROR',
  'BAD_SIGNATURE',
  'BAD_RESPONSE',
  'TOO_LARGE',
  'UNSUPPORTED_TYPE',
  'STORE_FAILED',
] as const;
export type UserErrorCode = (typeof USER_ERROR_CODES)[number];
export const UserErrorCode = wordsEnum('UserErrorCode', USER_ERROR_CODES);
