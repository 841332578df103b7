import { Button, NativeSelect } from '@mantine/core';
import { Icon } from '../icons.js';
import type { ReactNode } from 'react';

import type { PagerProps } from './table-types.js';
import styles from './table.module.css';

/** The server counts no further. */
const COUNTED_ROWS = 10_000;

/** "1,204", or "10,000+" for a list that is longer than the server counts. */
export function totalWords(total: number): string {
  return `${total.toLocaleString('en')}${total >= COUNTED_ROWS ? '+' : ''}`;
}

/** Rows per page unless somebody chooses. */
const DEFAULT_SIZE = 25;

function rangeWords({ view, total, count, isStale = false }: PagerProps): string {
  if (isStale) return 'Loading…';
  const from = view.index * view.size + 1;
  const range = count === 0 ? '0' : `${from.toLocaleString('en')}–${(from + count - 1).toLocaleString('en')}`;
  return typeof total === 'number' ? `${range} of ${totalWords(total)}` : range;
}

/** Where in the list one is and the way on; pages are steps of the browser's history. */
export function Pager(props: PagerProps & { children?: ReactNode }) {
  const { view, pageInfo, hasBack = true, isStale = false } = props;
  const { startCursor, endCursor } = pageInfo;
  const canBack = !view.isFirstPage && (pageInfo.hasPreviousPage || !hasBack || view.index > 0);
  const back = () => (hasBack && startCursor ? view.goBack(startCursor) : view.goFirst());
  // A cursor of rows that are going away would lead to the same page twice. Not disabled: that drops the focus.
  const step = (go: () => void) => (isStale ? undefined : go());
  // A list of one page needs no way on.
  const isWhole = !canBack && !pageInfo.hasNextPage && view.size === DEFAULT_SIZE;
  return (
    <nav className={styles.pager} aria-label="Pages of the list">
      <span className={styles.range}>{rangeWords(props)}</span>
      {props.children}
      {!isWhole && (
        <>
          <NativeSelect
            aria-label="Rows per page"
            value={String(view.size)}
            data={['25', '50', '100'].map((value) => ({ value, label: `${value} rows` }))}
            onChange={(event) => view.setSize(Number(event.currentTarget.value))}
          />
          <Button
            disabled={!canBack}
            leftSection={<Icon name="chevronLeft" size={14} />}
            onClick={() => step(back)}
          >
            {hasBack ? 'Back' : 'First page'}
          </Button>
          <Button
            disabled={!pageInfo.hasNextPage || !endCursor}
            rightSection={<Icon name="chevronRight" size={14} />}
            onClick={() => step(() => endCursor && view.goNext(endCursor))}
          >
            Next
          </Button>
        </>
      )}
    </nav>
  );
}
