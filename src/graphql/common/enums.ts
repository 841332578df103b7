import { registerEnumType } from 'type-graphql';

import type { Role as CoreRole, SignInMethod as CoreMethod } from '../../core/access/operators/viewer.js';
import type { StepStatus as CoreStatus } from '../../core/base/trace.js';
import type { RunOutcome as CoreOutcome } from '../../core/job-runner/job-run.js';

/**
 * Registers an enumeration: words as they are inside, each with its description. On the wire they are in capitals
 * (`deletePreviews` is `DELETE_PREVIEWS`), unless a name stands before the description.
 */
export function wordsEnum<Word extends string>(
  name: string,
  description: string,
  words: Readonly<Record<Word, string | readonly [name: string, description: string]>>,
): Readonly<Record<string, Word>> {
  const named: Record<string, Word> = {};
  const valuesConfig: Record<string, { description: string }> = {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the record are its words
  for (const word of Object.keys(words) as Word[]) {
    const capitals = word.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
    const given = words[word];
    const [wireName, text] = typeof given === 'string' ? [capitals, given] : given;
    named[wireName] = word;
    valuesConfig[wireName] = { description: text };
  }
  registerEnumType(named, { name, description, valuesConfig });
  return named;
}

export type Role = CoreRole;
export const Role = wordsEnum<CoreRole>(
  'Role',
  'What an operator may do; each role includes the one before',
  {
    viewer: 'May read',
    operator: 'May also try, refresh, block and delete previews',
    admin: 'May also delete for good, manage access, and see which user requested what',
  },
);

export const SortDirection = wordsEnum('SortDirection', 'Sort order', {
  asc: 'Smallest, oldest or first letter first',
  desc: 'Largest, newest or last letter first',
});

export const StepStatus = wordsEnum<CoreStatus>('StepStatus', 'Result of a step', {
  ok: 'Succeeded',
  warning: 'Succeeded, with a problem worth knowing',
  failed: 'Failed; nothing follows',
  skipped: 'Not needed, or not reached',
});

export const RunOutcome = wordsEnum<CoreOutcome>('RunOutcome', 'State of a job run or an operation', {
  running: 'Still running',
  ok: 'Succeeded',
  failed: 'Failed',
  skipped: 'Not started, for the stated reason',
  cancelled: 'Cancelled by an operator or because the client disconnected',
});

export const SignInMethod = wordsEnum<CoreMethod>('SignInMethod', 'How an operator authenticated', {
  code: 'One-time code',
  token: ['ADMIN_TOKEN', 'Access token, exchanged for a session'],
  homeserver: 'Homeserver account',
  api_token: 'Access token in the request',
  command: 'Command on the machine of the server',
});

export const UserErrorCode = wordsEnum('UserErrorCode', 'Kinds of expected failures', {
  INVALID: 'The argument is invalid',
  NOT_FOUND: 'No such object',
  CONFLICT: 'Conflicts with the current state',
  ALREADY_RUNNING: 'The same job is already running',
  COUNT_MISMATCH: 'A different number matches than expected; nothing was done',
  TOO_MANY: 'Too many at once',
  FEDERATION_NOT_ALLOWED: 'The server is not in federation_domain_whitelist',
  REMOTE_ERROR: 'The remote server gave no acceptable record; see failureCause',
  TOO_LARGE: 'The address or response is too large',
  STORE_FAILED: 'The result could not be stored',
});
export type UserErrorCode = (typeof UserErrorCode)[string];
