import type { CreateApiTokenInput, TokenScope } from '../../../gql/graphql.js';

/** A new token as it is being typed. */
export interface TokenWish {
  name: string;
  scopes: readonly TokenScope[];
  user: string;
  /** Days of its life; empty = it does not expire. */
  days: string;
}

export const NO_WISH: TokenWish = { name: '', scopes: ['ADMIN_READ'], user: '', days: '90' };

/** A token that asks for previews does so for somebody. */
export function needsUser({ scopes }: TokenWish): boolean {
  return scopes.includes('PREVIEW');
}

/** The mutation's input. */
export function inputOf(wish: TokenWish): CreateApiTokenInput {
  const { name, scopes, user, days } = wish;
  return {
    name,
    scopes: [...scopes],
    user: needsUser(wish) ? user.trim() : null,
    expiresInDays: days === '' ? null : Number(days),
  };
}
