import type { KeysPageQueryVariables } from '../../gql/graphql.js';
import { useListView, type ListView } from '../../ui/table/list-view.js';
import { flag, oneOf, words } from '../../url/params.js';
import { CAUSES } from './cause-words.js';

export type KeysSort = 'NAME' | 'VALID_UNTIL' | 'ADDED_AT' | 'LAST_FETCH';

const SORTS: readonly KeysSort[] = ['NAME', 'VALID_UNTIL', 'ADDED_AT', 'LAST_FETCH'];
const INITIAL = { field: 'NAME', direction: 'ASC' } as const;
const WITHIN_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

export const SHAPE = {
  q: words(),
  server: words(),
  state: oneOf(['FRESH', 'DUE', 'EXPIRED']),
  failing: flag(),
  cause: oneOf(CAUSES),
  look: flag(),
  allowed: flag(),
  within: oneOf(['hour', 'day', 'week']),
};

export type KeysView = ListView<KeysSort, typeof SHAPE>;

/** The list's state in the address bar. */
export function useKeysView(): KeysView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The query's variables. "Expires within" counts from the full minute, so that polling asks the same question. */
export function variablesOf({ filter, sort, page }: KeysView): KeysPageQueryVariables {
  const { q, server, state, failing, cause, look, allowed, within } = filter;
  const minute = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    ...page,
    sortBy: sort.field,
    direction: sort.direction,
    filter: {
      search: q === '' ? null : q,
      server: server === '' ? null : server,
      state,
      failing,
      cause,
      needsLook: look,
      federationAllowed: allowed,
      validUntilBefore: within === null ? null : new Date(minute + WITHIN_MS[within]).toISOString(),
    },
  };
}
