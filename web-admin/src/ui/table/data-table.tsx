import { useMediaQuery } from '@mantine/hooks';

import { useCan } from '../../session/viewer-context.js';
import { ErrorState } from '../state/error-state.js';
import { SkeletonLines } from '../state/section.js';
import { BulkBar } from './bulk-bar.js';
import { CardList } from './card-list.js';
import { ColumnMenu, useColumns } from './column-menu.js';
import { NewerBar } from './newer-bar.js';
import { useKeptFocus } from './kept-focus.js';
import { Pager } from './pager.js';
import { WideTable } from './wide-table.js';
import type { DataTableProps } from './table-types.js';
import styles from './table.module.css';

/** Rows of one kind: a real table on wide screens, cards with the same actions below 768 px. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false });
  const can = useCan();
  const holder = useKeptFocus();
  const { rows, error, newer, pager, bulk = [] } = props;
  // Nothing to do with ticked rows: no ticks.
  const mayTick = bulk.some(({ needs }) => needs === undefined || can(needs));
  const selection = mayTick ? props.selection : undefined;
  const columns = useColumns(props.caption, props.columns);
  const { selection: _asked, ...asked } = props;
  const listProps = { ...asked, columns: columns.shown, ...(selection === undefined ? {} : { selection }) };
  if (rows === undefined && error) return <ErrorState error={error} onRetry={props.onRetry ?? (() => {})} />;
  if (rows === undefined) return <SkeletonLines count={8} />;
  return (
    <div
      ref={holder}
      className={styles.holder}
      tabIndex={-1}
      role="group"
      aria-label={props.caption}
      data-list
      data-stale={props.isStale || undefined}
    >
      {newer !== undefined && <NewerBar count={newer.count} onShow={newer.onShow} />}
      {rows.length === 0 && props.empty}
      {rows.length > 0 &&
        (isNarrow ? <CardList {...listProps} rows={rows} /> : <WideTable {...listProps} rows={rows} />)}
      {pager !== undefined && (rows.length > 0 || pager.pageInfo.hasPreviousPage) && (
        <Pager {...pager} isStale={props.isStale ?? false}>
          <ColumnMenu columns={props.columns} isShown={columns.isShown} toggle={columns.toggle} />
        </Pager>
      )}
      {selection !== undefined && (
        <BulkBar selection={selection} actions={bulk} allThatMatch={props.allThatMatch ?? null} />
      )}
    </div>
  );
}
