import type { PreviewFilter } from '../../../gql/graphql.js';
import { filterWords } from '../../../ui/filter/filter-words.js';
import { instant, instantOf } from '../../../ui/filter/instant.js';
import { useListView, type ListView } from '../../../ui/table/list-view.js';
import { flag, oneOf, textOf, words } from '../../../url/params.js';

export type PreviewsSort = 'CREATED_AT' | 'EXPIRES_AT' | 'URL' | 'RESPONSE_CODE';

const SORTS: readonly PreviewsSort[] = ['CREATED_AT', 'EXPIRES_AT', 'URL', 'RESPONSE_CODE'];
const INITIAL = { field: 'CREATED_AT', direction: 'DESC' } as const;

export const SHAPE = {
  q: words(),
  host: words(),
  state: oneOf(['FRESH', 'EXPIRED']),
  status: textOf((status) => /^\d{3}$/.test(status)),
  image: flag(),
  empty: flag(),
  from: instant(),
  to: instant(),
};

export type StoredView = ListView<PreviewsSort, typeof SHAPE>;

/** The list's state in the address bar. */
export function useStoredView(): StoredView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The filter as the API takes it; also for deleting all that match. */
export function filterOf({ filter }: StoredView): PreviewFilter {
  const { q, host, state, status, image, empty, from, to } = filter;
  return {
    search: q === '' ? null : q,
    host: host === '' ? null : host,
    state,
    responseCode: status === '' ? null : Number(status),
    hasImage: image,
    empty,
    createdAfter: instantOf(from),
    createdBefore: instantOf(to),
  };
}

/** The same for people. */
export function wordsOf({ filter }: StoredView): string[] {
  const { state, status, image, empty } = filter;
  return filterWords(filter, [
    state?.toLowerCase() ?? null,
    status === '' ? null : `status ${status}`,
    image === null ? null : image ? 'with image' : 'without image',
    empty === null ? null : empty ? 'empty' : 'not empty',
  ]);
}
