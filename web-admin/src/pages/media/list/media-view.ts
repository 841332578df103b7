import type { MediaFilter } from '../../../gql/graphql.js';
import { filterWords } from '../../../ui/filter/filter-words.js';
import { instant, instantOf } from '../../../ui/filter/instant.js';
import { useListView, type ListView } from '../../../ui/table/list-view.js';
import { flag, oneOf, text, whole, words } from '../../../url/params.js';

export type MediaSort = 'CREATED_AT' | 'BYTES' | 'DELETES_AT';

const SORTS: readonly MediaSort[] = ['CREATED_AT', 'BYTES', 'DELETES_AT'];
const INITIAL = { field: 'CREATED_AT', direction: 'DESC' } as const;
const KIB = 1024;

export const SHAPE = {
  q: words(),
  type: words(),
  owner: text(),
  host: words(),
  /** KiB. */
  min: whole(0, 0, 1_000_000_000),
  from: instant(),
  to: instant(),
  file: oneOf(['PRESENT', 'MISSING']),
  orphan: flag(),
};

export type MediaView = ListView<MediaSort, typeof SHAPE>;

/** The list's state in the address bar. */
export function useMediaView(): MediaView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The filter as the API takes it; also for deleting all that match. */
export function filterOf({ filter }: MediaView): MediaFilter {
  const { q, type, owner, host, min, from, to, file, orphan } = filter;
  return {
    search: q === '' ? null : q,
    contentType: type === '' ? null : type,
    owner: owner === '' ? null : owner,
    host: host === '' ? null : host,
    minBytes: min === 0 ? null : min * KIB,
    createdAfter: instantOf(from),
    createdBefore: instantOf(to),
    fileState: file,
    orphan,
  };
}

/** The same for people. */
export function wordsOf({ filter }: MediaView): string[] {
  const { type, owner, min, file, orphan } = filter;
  return filterWords(filter, [
    type === '' ? null : `type ${type}`,
    owner === '' ? null : `asked for by ${owner}`,
    min === 0 ? null : `above ${min.toLocaleString('en')} KiB`,
    file === null ? null : `file ${file.toLowerCase()}`,
    orphan === null ? null : orphan ? 'orphans' : 'in use',
  ]);
}
