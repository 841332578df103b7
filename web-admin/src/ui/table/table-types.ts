import type { ReactNode } from 'react';

import type { Selection } from './selection.js';

/** One column. In the card form every column becomes a line "title: cell". */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** The server's name of this order; absent = not sortable. */
  sort?: string;
  /** Figures stand at the end. */
  isNumber?: boolean;
  /** CSS width; the rest shares what is left. */
  width?: number;
  /** The heading of the card on phones; give it to one column. */
  isMain?: boolean;
}

/** One action on one row. */
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
  /** Called with the ids of what is ticked, null for all that match, and what unticks them. */
  onSelect: (ids: readonly string[] | null, clear: () => void) => void;
  danger?: boolean;
  needs?: string;
  /** Also for "all that match". */
  allowsAll?: boolean;
}

export interface DataTableProps<Row> {
  /** Read by screen readers as the table's name. */
  caption: string;
  rows: readonly Row[];
  rowId: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** Menu of a row; may depend on the row. */
  actions?: (row: Row) => readonly RowAction[];
  sort?: { field: string; direction: 'ASC' | 'DESC'; onSort: (field: string) => void };
  selection?: Selection | undefined;
}
