import type { ReactNode } from 'react';

import styles from './page.module.css';

/** Label and value pairs of a detail page, in reading order. Null values are left out. */
export function Fields({ items }: { items: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl className={styles.fields}>
      {items
        .filter((item) => item !== null)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
