import { Checkbox } from '@mantine/core';

import type { DataTableProps } from './table-types.js';
import { RowMenu } from './row-menu.js';
import styles from './table.module.css';

/** The phone form of a list: one card per row, every column as a line, the same menu. */
export function CardList<Row>(props: DataTableProps<Row> & { rows: readonly Row[] }) {
  const { caption, rows, rowId, columns, actions, selection } = props;
  const main = columns.find((column) => column.isMain) ?? columns[0];
  const others = columns.filter((column) => column !== main);
  return (
    <ul className={styles.cards} aria-label={caption}>
      {rows.map((row) => {
        const id = rowId(row);
        const isTicked = selection !== undefined && (selection.all || selection.ids.has(id));
        return (
          <li key={id} className={styles.card} data-ticked={isTicked || undefined}>
            <div className={styles.cardHead}>
              {selection !== undefined && (
                <Checkbox
                  aria-label="Tick this row"
                  checked={isTicked}
                  onChange={() => selection.toggle(id)}
                />
              )}
              <div className={styles.cardMain}>{main?.cell(row)}</div>
              {actions !== undefined && <RowMenu actions={actions(row)} />}
            </div>
            <dl className={styles.cardLines}>
              {others.map((column) => (
                <div key={column.id} data-long={column.isLong}>
                  <dt>{column.title}</dt>
                  <dd>{column.cell(row)}</dd>
                </div>
              ))}
            </dl>
          </li>
        );
      })}
    </ul>
  );
}
