import type { ReactNode } from 'react';

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

export interface TotalLike {
  count: number;
  exact: boolean;
}
