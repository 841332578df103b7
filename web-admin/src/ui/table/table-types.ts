import type { ReactNode } from 'react';

import type { RequestError } from '../../api/request-error.js';
import type { ListView } from './list-view.js';
import type { Selection } from './selection.js';

/** One column. In the card form every column becomes a line "title: cell". */
export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** The server's name of this order; absent = not sortable. */
  sort?: string;
  /** Figures stand at the end. */
  align?: 'end';
  /** CSS width, e.g. '120px'; the rest shares what is left. */
  width?: string;
  /** Sentences: a line of its own in the card on phones. */
  isLong?: boolean;
  /** The heading of the card on phones; give it to one column. */
  isMain?: boolean;
}

/** One action on one row; on wide screens and phones in the same menu. */
export interface RowAction {
  label: string;
  /** Either a page … */
  href?: string;
  /** … or something to do. */
  onSelect?: () => void;
  danger?: boolean;
  /** The mutation it needs; not drawn for a viewer who may not run it. */
  needs?: string;
  /** Says what it does not touch, as small print. */
  hint?: string;
}

/** One action on all ticked rows. */
export interface BulkAction {
  label: string;
  /** Called with what is ticked. */
  onSelect: () => void;
  danger?: boolean;
  needs?: string;
  /** False: only for ticked rows, not for "all that match". Default true. */
  allowsAll?: boolean;
}

export interface PageInfoLike {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor?: string | null;
  endCursor?: string | null;
}

export interface DataTableProps<Row> {
  /** Read by screen readers as the table's name. */
  caption: string;
  /** Undefined while the first answer is on its way. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** Menu of a row; may depend on the row. */
  actions?: (row: Row) => readonly RowAction[];
  sort?: { field: string; direction: 'ASC' | 'DESC'; onSort: (field: string) => void };
  selection?: Selection;
  bulk?: readonly BulkAction[];
  /** What "all that match" is: "all 1,204 previews that match". Null or absent = not offered. */
  allThatMatch?: string | null;
  error?: RequestError | null;
  onRetry?: () => void;
  /** Drawn when there is no row; say what to do next. */
  empty: ReactNode;
  pager?: PagerProps;
  /** From useHeldList: rows not in view and how to show them. */
  newer?: { count: number; onShow: () => void };
  /** The page in view belongs to the last filter; drawn paler. */
  isStale?: boolean;
}

export interface PagerProps {
  view: Pick<
    ListView<string, Record<string, never>>,
    'index' | 'size' | 'setSize' | 'goNext' | 'goBack' | 'goFirst' | 'isFirstPage'
  >;
  pageInfo: PageInfoLike;
  total?: number | null;
  /** Rows in view. */
  count: number;
  /** The rows in view are not those of `view` yet: its range is not told and leads nowhere. Default false. */
  isStale?: boolean;
  /** False for connections that only go forward: "Back" becomes "First page". Default true. */
  hasBack?: boolean;
}
