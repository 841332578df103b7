import type { UseQueryResult } from '@tanstack/react-query';

import type { RequestError } from '../../api/request-error.js';
import { useHeldList } from '../../live/use-held-list.js';
import type { Shape } from '../../url/params.js';
import type { DataTableProps, PageInfoLike } from './table-types.js';
import type { ListView } from './list-view.js';

/** One page of a connection. */
export interface ListPage<Row> {
  nodes: readonly Row[];
  pageInfo: PageInfoLike;
  totalCount: number;
}

interface ListSource<Data, Field extends string, S extends Shape> {
  query: UseQueryResult<Data, RequestError>;
  view: ListView<Field, S>;
  /** False for connections that only go forward; default true. */
  hasBack?: boolean;
}

type ListTable<Row> = Pick<
  DataTableProps<Row>,
  'rows' | 'rowId' | 'sort' | 'isStale' | 'error' | 'onRetry' | 'pager'
>;

/** What DataTable draws of a list: rows, sort, paging and failure. `list` is undefined until the first answer. */
export function listTable<Row extends { id: string }, Data, Field extends string, S extends Shape>(
  list: ListPage<Row> | undefined,
  { query, view, hasBack = true }: ListSource<Data, Field, S>,
): ListTable<Row> {
  const pager = list && {
    view,
    pageInfo: list.pageInfo,
    total: list.totalCount,
    count: list.nodes.length,
    hasBack,
  };
  return {
    rows: list?.nodes,
    rowId: ({ id }) => id,
    sort: { ...view.sort, onSort: view.sortBy },
    isStale: query.isPlaceholderData,
    error: query.error,
    onRetry: () => void query.refetch(),
    ...(pager && { pager }),
  };
}

/** `listTable` of a polled list whose rows keep their places: the page in view, and what DataTable draws of it. */
export function useHeldTable<Row extends { id: string }, Data, Field extends string, S extends Shape>(
  listOf: (data: Data) => ListPage<Row>,
  source: ListSource<Data, Field, S>,
): { list: ListPage<Row> | undefined; table: ListTable<Row> & Pick<DataTableProps<Row>, 'newer'> } {
  const { query, view } = source;
  const held = useHeldList(query.data === undefined ? undefined : listOf(query.data), {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const table = listTable(held.shown, source);
  return { list: held.shown, table: { ...table, newer: { count: held.newer, onShow: held.show } } };
}
