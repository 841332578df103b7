import { useMemo } from 'react';

import { choice, text, whole, words, type Shape, type ValuesOf } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import type { Fields, FilterOf } from '../filter/fields.js';

export interface SortState<SortField extends string> {
  field: SortField;
  direction: 'ASC' | 'DESC';
}

/** What a list needs from the address bar, ready for the query's arguments. */
export interface ListView<SortField extends string, F extends Fields> {
  fields: F;
  filter: FilterOf<F>;
  isFiltered: boolean;
  /** Changes filters and goes back to the first page. */
  setFilter(patch: Partial<FilterOf<F>>): void;
  sort: SortState<SortField>;
  /** The same as arguments of a list. */
  order: { sortBy: SortField; direction: 'ASC' | 'DESC' };
  /** Sorts by a field; the same field again turns the direction. */
  sortBy: (field: string) => void;
  /** Arguments of a list: first/after or last/before. */
  page: { first: number | null; after: string | null; last: number | null; before: string | null };
  /** The same for lists that only go forward. */
  forward: { first: number; after: string | null };
  /** Rows per page: 25, 50 or 100. */
  size: number;
  setSize: (size: number) => void;
  /** Number of the page counted from 0, as walked; only for words. */
  index: number;
  goNext: (endCursor: string) => void;
  goBack: (startCursor: string) => void;
  goFirst: () => void;
  /** Names filter, sort and page together. */
  key: string;
  isFirstPage: boolean;
}

function filterShapeOf(fields: Fields): Shape {
  const own = Object.entries(fields).map(([name, { param }]) => [name, param]);
  return { q: words(), ...Object.fromEntries(own) };
}

/** The list's own parameters; `initial` is written `NAME` or `-NAME`. */
function listShapeOf(sorts: readonly string[], initial: string) {
  return {
    sort: choice(
      sorts.flatMap((field) => [field, `-${field}`]),
      initial,
    ),
    after: text(),
    before: text(),
    page: whole(0, 0, 1_000_000),
    size: whole(25, 1, 100),
  };
}

const START = { after: '', before: '', page: 0 };

/** Define `fields` and `sorts` outside the component. Paging is a step of the history; filters replace. */
export function useListView<SortField extends string, F extends Fields>(
  fields: F,
  sorts: readonly SortField[],
  initial: SortField | `-${SortField}`,
): ListView<SortField, F> {
  const listShape = useMemo(() => listShapeOf(sorts, initial), [sorts, initial]);
  const shape = useMemo(() => filterShapeOf(fields), [fields]);
  const [values, changeFilter] = useSearchParams(shape);
  const [list, change] = useSearchParams(listShape);
  const { field, direction } = sortOf(list.sort, sorts);
  const goTo = (position: Partial<ValuesOf<typeof listShape>>) =>
    change({ ...START, ...position }, { push: true });
  return {
    fields,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each field, and q
    filter: values as FilterOf<F>,
    isFiltered: Object.entries(values).some(([name, value]) => shape[name]?.format(value) !== null),
    setFilter: (patch) => {
      change(START);
      changeFilter(patch);
    },
    sort: { field, direction },
    order: { sortBy: field, direction },
    sortBy: (name) => change({ ...START, sort: field === name && direction === 'ASC' ? `-${name}` : name }),
    page: pageOf(list),
    forward: { first: list.size, after: list.after || null },
    size: list.size,
    setSize: (size) => change({ ...START, size }),
    index: list.page,
    goNext: (after) => goTo({ after, page: list.page + 1 }),
    goBack: (before) => goTo(list.page <= 1 ? {} : { before, page: list.page - 1 }),
    goFirst: () => goTo({}),
    key: JSON.stringify([values, list]),
    isFirstPage: list.after === '' && list.before === '',
  };
}

function sortOf<SortField extends string>(text: string, sorts: readonly SortField[]): SortState<SortField> {
  const field = sorts.find((name) => name === text.replace(/^-/, '')) ?? sorts[0];
  if (field === undefined) throw new Error('a list has an order');
  return { field, direction: text.startsWith('-') ? 'DESC' : 'ASC' };
}

function pageOf({ after, before, size }: { after: string; before: string; size: number }) {
  const isBackward = before !== '';
  return {
    first: isBackward ? null : size,
    after: after || null,
    last: isBackward ? size : null,
    before: before || null,
  };
}
