import { useNow } from '../../../live/use-now.js';
import { exactTime } from '../../../ui/text/time-words.js';
import type { RecordData } from '../server-query.js';
import styles from './records.module.css';

/** Where now is between "added", the half-way point and "valid until"; beyond the end it is full. */
export function Lifetime({ record }: { record: RecordData }) {
  const now = useNow();
  const from = Date.parse(record.addedAt);
  const until = record.validUntilMs;
  const share = until <= from ? 1 : Math.min(Math.max((now - from) / (until - from), 0), 1);
  const percent = Math.round(share * 100);
  return (
    <div
      className={styles.life}
      data-state={record.state}
      role="img"
      aria-label={`${percent} % of its lifetime is over`}
      data-tip={`Half-way point ${exactTime(Date.parse(record.refetchAfter)) ?? ''}: from there a query refetches`}
      tabIndex={0}
    >
      <span className={styles.lifeBar} style={{ width: `${percent}%` }} />
      <span className={styles.lifeHalf} />
    </div>
  );
}
