import type { ReactNode } from 'react';

import { Section } from '../state/section.js';
import styles from './page.module.css';

interface PanelProps {
  title?: ReactNode;
  /** Small print beside the title. */
  note?: ReactNode;
  /** Buttons or a switch at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
  /** No inner padding: for tables and lists that run to the edge. */
  flush?: boolean;
}

/** A card of the page: one subject, fails alone. */
export function Panel({ title, note, actions, children, flush = false }: PanelProps) {
  return (
    <section className={styles.panel}>
      {(title !== undefined || actions !== undefined) && (
        <div className={styles.panelHead}>
          {title !== undefined && <h2 className={styles.panelTitle}>{title}</h2>}
          {note !== undefined && <span className={styles.note}>{note}</span>}
          {actions !== undefined && <div className={styles.panelActions}>{actions}</div>}
        </div>
      )}
      <div className={flush ? undefined : styles.panelBody}>
        <Section>{children}</Section>
      </div>
    </section>
  );
}
