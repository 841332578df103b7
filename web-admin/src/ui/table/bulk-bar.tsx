import { Button } from '@mantine/core';

import { useCan } from '../../session/viewer-context.js';
import type { Selection } from './selection.js';
import type { BulkAction } from './table-types.js';
import styles from './table.module.css';

interface BulkBarProps {
  selection: Selection;
  actions: readonly BulkAction[];
  /** Null: not offered. */
  allThatMatch: string | null;
}

/** Rises when something is ticked: how many, all that match, the actions. */
export function BulkBar({ selection, actions, allThatMatch }: BulkBarProps) {
  const can = useCan();
  if (selection.count === 0 && !selection.all) return null;
  const allowed = actions.filter(
    ({ needs, allowsAll = true }) => (needs === undefined || can(needs)) && (allowsAll || !selection.all),
  );
  return (
    <div className={styles.bulk} role="region" aria-label="Actions on ticked rows">
      <span className={styles.bulkCount}>{selection.all ? allThatMatch : `${selection.count} ticked`}</span>
      {!selection.all && allThatMatch !== null && (
        <button type="button" className={styles.bulkAll} onClick={selection.selectAll}>
          Tick {allThatMatch}
        </button>
      )}
      <div className={styles.bulkActions}>
        {allowed.map(({ label, danger, onSelect }) => (
          <Button key={label} {...(danger ? { variant: 'outline', color: 'seal' } : {})} onClick={onSelect}>
            {label}
          </Button>
        ))}
        <Button variant="subtle" onClick={selection.clear}>
          Clear
        </Button>
      </div>
    </div>
  );
}
