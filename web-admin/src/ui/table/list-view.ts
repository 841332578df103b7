import { useMemo } from 'react';

import { choice, text, useSearchParams, whole } from '../../url/search-params.js';
import type { Shape, ValuesOf } from '../../url/search-params.js';

export type Direction = 'ASC' | 'DESC';

export interface SortState<Field extends string> {
  field: Field;
  direction: Direction;
}

/** What a list needs from the address bar, ready for the query's arguments. */
export interface ListView<Field extends string, S extends Shape> {
  /** The page's own filters. */
  filter: ValuesOf<S>;
  /** Changes filters and goes back to the first page. */
  setFilter: (patch: Partial<ValuesOf<S>>) => void;
  sort: SortState<Field>;
  /** Sorts by a field; the same field again turns the direction. */
  sortBy: (field: Field) => void;
  /** Arguments of a connection: first/after or last/before. */
  page: { first: number | null; after: string | null; last: number | null; before: string | null };
  /** Rows per page: 25, 50 or 100. */
  size: number;
  setSize: (size: number) => void;
  /** Number of the page counted from 0, as walked; only for words. */
  index: number;
  goNext: (endCursor: string) => void;
  goBack: (startCursor: string) => void;
  goFirst: () => void;
  /** Names filter, sort and page together, e.g. for useHeldList. */
  key: string;
  isFirstPage: boolean;
}

/**
 * The state of a list in the address bar: filters of `shape`, `sort=-FIELD`, `after`/`before`, `page`, `size`.
 * Define `shape` and `sorts` outside the component. Paging is a step of the history; filters replace.
 */
export function useListView<Field extends string, S extends Shape>(
  shape: S,
  { sorts, initial }: { sorts: readonly Field[]; initial: SortState<Field> },
): ListView<Field, S> {
  const listShape = useMemo(() => {
    const names = sorts.flatMap((field) => [field, `-${field}`]);
    const fallback = initial.direction === 'ASC' ? initial.field : `-${initial.field}`;
    return {
      sort: choice(names, fallback),
      after: text(),
      before: text(),
      page: whole(0, 0, 1_000_000),
      size: whole(25, 1, 100),
    };
  }, [sorts, initial]);
  const [filter, changeFilter] = useSearchParams(shape);
  const [list, change] = useSearchParams(listShape);
  const sort: SortState<Field> = {
    field: list.sort.replace(/^-/, '') as Field,
    direction: list.sort.startsWith('-') ? 'DESC' : 'ASC',
  };
  const start = { after: '', before: '', page: 0 };
  const isBackward = list.before !== '';
  return {
    filter,
    setFilter: (patch) => {
      change(start);
      changeFilter(patch);
    },
    sort,
    sortBy: (field) => {
      const turned = sort.field === field && sort.direction === 'ASC' ? `-${field}` : field;
      change({ ...start, sort: turned });
    },
    page: {
      first: isBackward ? null : list.size,
      after: list.after === '' ? null : list.after,
      last: isBackward ? list.size : null,
      before: isBackward ? list.before : null,
    },
    size: list.size,
    setSize: (size) => change({ ...start, size }),
    index: list.page,
    goNext: (endCursor) => change({ after: endCursor, before: '', page: list.page + 1 }, { push: true }),
    goBack: (startCursor) =>
      list.page <= 1
        ? change(start, { push: true })
        : change({ after: '', before: startCursor, page: list.page - 1 }, { push: true }),
    goFirst: () => change(start, { push: true }),
    key: JSON.stringify([filter, list]),
    isFirstPage: list.after === '' && !isBackward,
  };
}
