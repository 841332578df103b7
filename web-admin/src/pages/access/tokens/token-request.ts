import type { CreateApiTokenMutationVariables, TokenScope } from '../../../gql/graphql.js';

/** A new token as it is being typed. */
export interface TokenRequest {
  name: string;
  scopes: readonly TokenScope[];
  user: string;
  /** Days of its life; empty = it does not expire. */
  days: string;
}

export const EMPTY_REQUEST: TokenRequest = { name: '', scopes: ['ADMIN_READ'], user: '', days: '90' };

/** A token that asks for previews does so for somebody. */
export function needsUser({ scopes }: TokenRequest): boolean {
  return scopes.includes('PREVIEW');
}

/** The mutation's variables. */
export function inputOf(request: TokenRequest): CreateApiTokenMutationVariables {
  const { name, scopes, user, days } = request;
  return {
    name,
    scopes: [...scopes],
    user: needsUser(request) ? user.trim() : null,
    expiresInDays: days === '' ? null : Number(days),
  };
}
