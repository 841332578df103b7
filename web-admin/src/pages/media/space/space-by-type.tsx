import { byteWords } from '../../../ui/text/bytes.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { SpaceData } from '../media-query.js';
import styles from '../media.module.css';

const SHOWN = 5;

/** One bar cut by type, with its legend; types beyond the fifth are one share. */
export function SpaceByType({
  shares,
  onType,
}: {
  shares: SpaceData['byType'];
  onType: (type: string) => void;
}) {
  const sorted = shares.toSorted((left, right) => right.bytes - left.bytes);
  const total = Math.max(
    sorted.reduce((sum, { bytes }) => sum + bytes, 0),
    1,
  );
  const rest = sorted.slice(SHOWN).reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section>
      <h3 className={styles.spaceName}>By type</h3>
      <div className={styles.stack} aria-hidden="true">
        {sorted.slice(0, SHOWN).map(({ name, bytes }, index) => (
          <span key={name} data-step={index} style={{ width: `${(bytes / total) * 100}%` }} />
        ))}
      </div>
      <ul className={styles.legend}>
        {sorted.slice(0, SHOWN).map(({ name, items, bytes }, index) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => onType(name)}
              data-tip={`${items.toLocaleString('en')} ${items === 1 ? 'item' : 'items'}; click to filter`}
            >
              <span className={styles.dot} data-step={index} aria-hidden="true" />
              <UntrustedText text={name} max={28} inside />
              <span className={styles.legendSize}>{byteWords(bytes)}</span>
            </button>
          </li>
        ))}
        {rest > 0 && (
          <li className={styles.legendRest}>
            other <span className={styles.legendSize}>{byteWords(rest)}</span>
          </li>
        )}
      </ul>
    </section>
  );
}
