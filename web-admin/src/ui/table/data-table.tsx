import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

import type { Failure } from '../../api/failure.js';
import { useCan } from '../../session/viewer-context.js';
import { ErrorState } from '../state/error-state.js';
import { SkeletonLines } from '../state/section.js';
import { BulkBar } from './bulk-bar.js';
import { CardList } from './card-list.js';
import { NewerBar } from './newer-bar.js';
import { Pager } from './pager.js';
import type { PagerProps } from './pager.js';
import type { Selection } from './selection.js';
import { WideTable } from './wide-table.js';
import type { BulkAction, Column, RowAction } from './table-types.js';
import styles from './table.module.css';

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
  failure?: Failure | null;
  onRetry?: () => void;
  /** Drawn when there is no row; say what to do next. */
  empty: ReactNode;
  pager?: PagerProps;
  /** From useHeldList: rows not in view and how to show them. */
  newer?: { count: number; onShow: () => void };
  /** The page in view belongs to the last filter; drawn paler. */
  isStale?: boolean;
}

/** Rows of one kind: a real table on wide screens, cards with the same actions below 768 px. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false });
  const can = useCan();
  const { rows, failure, newer, pager, bulk = [] } = props;
  // Nothing to do with ticked rows: no ticks.
  const mayTick = bulk.some(({ needs }) => needs === undefined || can(needs));
  const selection = mayTick ? props.selection : undefined;
  const { selection: _asked, ...shown } = props;
  const listProps = { ...shown, ...(selection === undefined ? {} : { selection }) };
  if (rows === undefined && failure)
    return <ErrorState failure={failure} onRetry={props.onRetry ?? (() => {})} />;
  if (rows === undefined) return <SkeletonLines count={8} />;
  return (
    <div className={styles.holder} data-stale={props.isStale || undefined}>
      {newer !== undefined && <NewerBar count={newer.count} onShow={newer.onShow} />}
      {rows.length === 0 && props.empty}
      {rows.length > 0 &&
        (isNarrow ? <CardList {...listProps} rows={rows} /> : <WideTable {...listProps} rows={rows} />)}
      {pager !== undefined && (rows.length > 0 || pager.pageInfo.hasPreviousPage) && <Pager {...pager} />}
      {selection !== undefined && (
        <BulkBar selection={selection} actions={bulk} allThatMatch={props.allThatMatch ?? null} />
      )}
    </div>
  );
}
