import type { MemoryFilter } from '../../../gql/graphql.js';
import { useListView, type ListView } from '../../../ui/table/list-view.js';
import { oneOf, words } from '../../../url/params.js';

export const SHAPE = { q: words(), host: words(), state: oneOf(['FAILED', 'RUNNING', 'READY']) };

const SORTS = ['STATE'] as const;
const INITIAL = { field: 'STATE', direction: 'ASC' } as const;

export type MemoryView = ListView<'STATE', typeof SHAPE>;

/** The list's state in the address bar. */
export function useMemoryView(): MemoryView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The filter as the API takes it. */
export function filterOf({ filter: { q, host, state } }: MemoryView): MemoryFilter {
  return { search: q === '' ? null : q, host: host === '' ? null : host, state };
}
