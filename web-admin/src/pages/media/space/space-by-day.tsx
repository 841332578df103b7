import { byteWords } from '../../../ui/text/bytes.js';
import { counted } from '../../../ui/text/counted.js';
import type { SpaceData } from '../media-query.js';
import styles from '../media.module.css';

const SHOWN = 14;

/** One column a day, the newest at the end. */
export function SpaceByDay({ shares, onDay }: { shares: SpaceData['byDay']; onDay: (day: string) => void }) {
  const days = shares.toSorted((left, right) => left.name.localeCompare(right.name)).slice(-SHOWN);
  const most = Math.max(...days.map(({ bytes }) => bytes), 1);
  const [first] = days;
  const last = days.at(-1);
  return (
    <section>
      <h3 className={styles.spaceName}>By day</h3>
      <ul className={styles.days}>
        {days.map(({ name, items, bytes }) => {
          const words = `${name}: ${byteWords(bytes)} in ${counted(items, 'item')}`;
          return (
            <li key={name}>
              <button type="button" aria-label={words} data-tip={words} onClick={() => onDay(name)}>
                <span style={{ height: `${Math.max((bytes / most) * 100, 4)}%` }} />
              </button>
            </li>
          );
        })}
      </ul>
      <p className={styles.dayNames} aria-hidden="true">
        {first?.name}
        {last !== first && ` – ${last?.name ?? ''}`}
      </p>
    </section>
  );
}
