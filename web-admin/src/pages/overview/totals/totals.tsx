import { Link } from 'wouter';

import { figuresOf } from './figures.js';
import type { OverviewData } from '../overview-query.js';
import styles from './totals.module.css';

/** The eight totals; each leads to its list. */
export function Totals({ overview }: { overview: OverviewData }) {
  return (
    <ul className={styles.totals} aria-label="Totals">
      {figuresOf(overview).map(({ label, value, note, href, isBad }) => (
        <li key={label}>
          <Link href={href} className={styles.total} data-bad={isBad || undefined}>
            <span className={styles.label}>{label}</span>
            <span className={styles.value}>{value}</span>
            <span className={styles.note}>{note}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
