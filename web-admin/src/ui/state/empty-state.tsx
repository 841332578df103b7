import type { ReactNode } from 'react';

import styles from './states.module.css';

interface EmptyStateProps {
  title: string;
  /** What to do next, in one or two sentences or as a small form. */
  children?: ReactNode;
  /** For a small panel: one quiet line. */
  isSmall?: boolean;
}

/** Nothing here, and what to do about it. */
export function EmptyState({ title, children, isSmall = false }: EmptyStateProps) {
  return (
    <div className={styles.state} data-small={isSmall || undefined}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && (
        <div className={styles.sentence} data-prose>
          {children}
        </div>
      )}
    </div>
  );
}
