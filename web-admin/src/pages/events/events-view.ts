import type { KeyEventKind, KeyEventsPageQueryVariables } from '../../gql/graphql.js';
import { instant, instantOf } from '../../ui/filter/instant.js';
import { useListView, type ListView } from '../../ui/table/list-view.js';
import { flag, oneOf, words } from '../../url/params.js';

/** What may have happened, in the words of the list. */
export const KIND_WORDS: Readonly<Record<KeyEventKind, string>> = {
  KEY_REPLACED: 'key replaced',
  KEY_ADDED: 'key added',
  KEY_REMOVED: 'key no longer listed',
  KEY_RETIRED: 'key retired',
  KEY_REINSTATED: 'key in use again',
  KEY_UNPROVEN: 'key did not sign',
  VALIDITY_WENT_BACKWARDS: 'ends earlier than before',
  RECORD_REFUSED: 'record refused',
  WEAK_KEY_REFUSED: 'weak key refused',
  BANNED_KEY_REFUSED: 'banned key refused',
  SERVER_FIRST_SEEN: 'server first seen',
  RECORD_DELETED: 'record deleted',
};

/** The alarm stands first. */
export const KINDS: readonly KeyEventKind[] = [
  'KEY_REPLACED',
  'KEY_ADDED',
  'KEY_REMOVED',
  'KEY_RETIRED',
  'KEY_REINSTATED',
  'KEY_UNPROVEN',
  'VALIDITY_WENT_BACKWARDS',
  'RECORD_REFUSED',
  'WEAK_KEY_REFUSED',
  'BANNED_KEY_REFUSED',
  'SERVER_FIRST_SEEN',
  'RECORD_DELETED',
];

export const SHAPE = {
  q: words(),
  server: words(),
  kind: oneOf(KINDS),
  acknowledged: flag(),
  from: instant(),
  to: instant(),
};

const SORTS = ['AT'] as const;
const INITIAL = { field: 'AT', direction: 'DESC' } as const;

export type EventsView = ListView<'AT', typeof SHAPE>;

/** The list's state in the address bar. */
export function useEventsView(): EventsView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The query's variables. */
export function variablesOf({ filter, page }: EventsView): KeyEventsPageQueryVariables {
  const { q, server, kind, acknowledged, from, to } = filter;
  return {
    ...page,
    filter: {
      search: q === '' ? null : q,
      server: server === '' ? null : server,
      kinds: kind === null ? null : [kind],
      acknowledged,
      after: instantOf(from),
      before: instantOf(to),
    },
  };
}
