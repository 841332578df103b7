import type { TokenScope } from '../../gql/graphql.js';

/** What each scope allows, in words. */
export const SCOPES: readonly { scope: TokenScope; label: string; words: string }[] = [
  { scope: 'PREVIEW', label: 'Previews', words: 'Ask for previews and load media, as a client of one user.' },
  {
    scope: 'ADMIN_READ',
    label: 'Read',
    words: 'Read everything a viewer sees here. Also signs in as a viewer.',
  },
  {
    scope: 'ADMIN_OPERATE',
    label: 'Operate',
    words: 'Try, refresh and delete what is made anew. Also signs in as an operator.',
  },
  {
    scope: 'ADMIN_WRITE',
    label: 'Administer',
    words: 'Everything an admin may do, deleting included. Also signs in as an admin.',
  },
  { scope: 'METRICS', label: 'Metrics', words: 'Read the figures for Prometheus.' },
];

/** The short name of a scope. */
export function scopeLabel(scope: TokenScope): string {
  return SCOPES.find((known) => known.scope === scope)?.label ?? scope;
}
