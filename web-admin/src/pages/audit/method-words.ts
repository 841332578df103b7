import type { SignInMethod } from '../../gql/graphql.js';

/** How somebody had signed in, in words. */
export const METHOD_WORDS: Readonly<Record<SignInMethod, string>> = {
  CODE: 'one-time code',
  ADMIN_TOKEN: 'token, signed in',
  API_TOKEN: 'API token',
  HOMESERVER: 'homeserver account',
  COMMAND: 'command line',
};
