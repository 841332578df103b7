import { useMemo } from 'react';

import { choice, text, whole, type Shape, type ValuesOf } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';

export type Direction = 'ASC' | 'DESC';

export interface SortState<Field extends string> {
  field: Field;
  direction: Direction;
}

/** What a list needs from the address bar, ready for the query's arguments. */
export interface ListView<Field extends string, S extends Shape> {
  /** The page's own filters. */
  filter: ValuesOf<S>;
  /** Some filter is set. */
  isFiltered: boolean;
  /** Changes filters and goes back to the first page. */
  setFilter: (patch: Partial<ValuesOf<S>>) => void;
  sort: SortState<Field>;
  /** Sorts by a field; the same field again turns the direction. What is no field of the list changes nothing. */
  sortBy: (field: string) => void;
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

/** The order of a list as arguments. */
export function orderOf<Field extends string>({
  sort,
}: {
  sort: SortState<Field>;
}): {
  sortBy: Field;
  direction: Direction;
} {
  return { sortBy: sort.field, direction: sort.direction };
}

/** The list's own parameters. */
function listShapeOf<Field extends string>(sorts: readonly Field[], initial: SortState<Field>) {
  const names = sorts.flatMap((field) => [field, `-${field}`]);
  return {
    sort: choice(names, initial.direction === 'ASC' ? initial.field : `-${initial.field}`),
    after: text(),
    before: text(),
    page: whole(0, 0, 1_000_000),
    size: whole(25, 1, 100),
  };
}

type ListValues = ValuesOf<ReturnType<typeof listShapeOf>>;

const START = { after: '', before: '', page: 0 };

function pageOf({ after, before, size }: ListValues) {
  const isBackward = before !== '';
  return {
    first: isBackward ? null : size,
    after: after === '' ? null : after,
    last: isBackward ? size : null,
    before: isBackward ? before : null,
  };
}

/** Arguments of a connection that only goes forward. */
export function forwardPage({ page, size }: Pick<ListView<string, Shape>, 'page' | 'size'>): {
  first: number;
  after: string | null;
} {
  return { first: page.first ?? size, after: page.after };
}

/**
 * The state of a list in the address bar: filters of `shape`, `sort=-FIELD`, `after`/`before`, `page`, `size`.
 * Define `shape` and `sorts` outside the component. Paging is a step of the history; filters replace.
 */
export function useListView<Field extends string, S extends Shape>(
  shape: S,
  { sorts, initial }: { sorts: readonly Field[]; initial: SortState<Field> },
): ListView<Field, S> {
  const listShape = useMemo(() => listShapeOf(sorts, initial), [sorts, initial]);
  const [filter, changeFilter] = useSearchParams(shape);
  const [list, change] = useSearchParams(listShape);
  const sort: SortState<Field> = {
    field: sorts.find((field) => field === list.sort.replace(/^-/, '')) ?? initial.field,
    direction: list.sort.startsWith('-') ? 'DESC' : 'ASC',
  };
  const goTo = (position: Partial<ListValues>) => change({ ...START, ...position }, { push: true });
  return {
    filter,
    isFiltered: Object.entries(filter).some(([name, value]) => shape[name]?.format(value) !== null),
    setFilter: (patch) => {
      change(START);
      changeFilter(patch);
    },
    sort,
    sortBy: (field) => {
      const turned = sort.field === field && sort.direction === 'ASC' ? `-${field}` : field;
      change({ ...START, sort: turned });
    },
    page: pageOf(list),
    size: list.size,
    setSize: (size) => change({ ...START, size }),
    index: list.page,
    goNext: (after) => goTo({ after, page: list.page + 1 }),
    goBack: (before) => goTo(list.page <= 1 ? {} : { before, page: list.page - 1 }),
    goFirst: () => goTo({}),
    key: JSON.stringify([filter, list]),
    isFirstPage: list.after === '' && list.before === '',
  };
}
