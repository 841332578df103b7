import { useNow } from '../../live/use-now.js';
import { exactTime, relativeTime } from './time-words.js';
import styles from './text.module.css';

interface RelativeTimeProps {
  /** ISO instant or POSIX ms; null draws `none`. */
  at: string | number | null | undefined;
  /** What null means here, e.g. "never"; default an em dash. */
  none?: string;
}

/** "3 min ago" or "in 41 min"; hover and focus show the exact instant in UTC. */
export function RelativeTime({ at, none = '—' }: RelativeTimeProps) {
  const now = useNow();
  if (at === null || at === undefined) return <span className={styles.none}>{none}</span>;
  const ts = typeof at === 'number' ? at : Date.parse(at);
  const exact = exactTime(ts);
  if (exact === null) return <span className={styles.quiet}>{String(at)} ms</span>;
  return (
    <time className={styles.quiet} dateTime={new Date(ts).toISOString()} data-tip={exact} tabIndex={0}>
      {relativeTime(ts, now)}
    </time>
  );
}
