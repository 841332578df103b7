import { Checkbox } from '@mantine/core';

import type { DataTableProps, Column } from './table-types.js';
import { RowMenu } from './row-menu.js';
import styles from './table.module.css';

type WideTableProps<Row> = DataTableProps<Row> & { rows: readonly Row[] };

/** The table form of a list. */
export function WideTable<Row>(props: WideTableProps<Row>) {
  const { caption, rows, rowId, columns, actions, selection } = props;
  const ids = rows.map((row) => rowId(row));
  const ticked = selection === undefined ? 0 : ids.filter((id) => selection.ids.has(id)).length;
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <caption className={styles.caption}>{caption}</caption>
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col" className={styles.tick}>
                <Checkbox
                  aria-label="Tick all rows of this page"
                  checked={ticked === ids.length}
                  indeterminate={ticked > 0 && ticked < ids.length}
                  onChange={(event) => selection.setMany(ids, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={props.sort} />
            ))}
            {actions !== undefined && (
              <th scope="col" className={styles.menuCell}>
                <span className={styles.hidden}>Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <BodyRow key={rowId(row)} row={row} table={props} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeadCell<Row>({ column, sort }: { column: Column<Row>; sort: DataTableProps<Row>['sort'] }) {
  const style = column.width === undefined ? undefined : { width: column.width };
  const { sort: field } = column;
  if (field === undefined || sort === undefined)
    return (
      <th scope="col" data-align={column.align} style={style}>
        {column.title}
      </th>
    );
  const isActive = sort.field === field;
  const order = sort.direction === 'ASC' ? 'ascending' : 'descending';
  return (
    <th scope="col" data-align={column.align} style={style} aria-sort={isActive ? order : 'none'}>
      <button
        type="button"
        className={styles.sort}
        data-active={isActive || undefined}
        onClick={() => sort.onSort(field)}
      >
        {column.title}
        <svg
          width="8"
          height="8"
          viewBox="0 0 8 8"
          aria-hidden="true"
          data-direction={isActive ? order : undefined}
        >
          <path d="M1 5.2 4 2.4 7 5.2" />
        </svg>
      </button>
    </th>
  );
}

function BodyRow<Row>({ row, table }: { row: Row; table: WideTableProps<Row> }) {
  const { rowId, columns, actions, selection } = table;
  const id = rowId(row);
  const isTicked = selection !== undefined && (selection.all || selection.ids.has(id));
  return (
    <tr data-ticked={isTicked || undefined}>
      {selection !== undefined && (
        <td className={styles.tick}>
          <Checkbox aria-label="Tick this row" checked={isTicked} onChange={() => selection.toggle(id)} />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} data-align={column.align} data-main={column.isMain || undefined}>
          {column.cell(row)}
        </td>
      ))}
      {actions !== undefined && (
        <td className={styles.menuCell}>
          <RowMenu actions={actions(row)} />
        </td>
      )}
    </tr>
  );
}
