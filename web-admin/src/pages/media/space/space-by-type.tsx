import { byteWords } from '../../../ui/text/bytes.js';
import { counted } from '../../../ui/text/counted.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { SpaceData } from '../media-query.js';
import styles from '../media.module.css';

const SHOWN = 5;

type Share = SpaceData['byType'][number];

interface SpaceByTypeProps {
  shares: readonly Share[];
  onType: (type: string) => void;
}

/** One bar cut by type, with its legend; types beyond the fifth are one share. */
export function SpaceByType({ shares, onType }: SpaceByTypeProps) {
  const sorted = shares.toSorted((left, right) => right.bytes - left.bytes);
  const largest = sorted.slice(0, SHOWN);
  const total = Math.max(bytesOf(sorted), 1);
  const rest = bytesOf(sorted.slice(SHOWN));
  return (
    <section>
      <h3 className={styles.spaceName}>By type</h3>
      <div className={styles.stack} aria-hidden="true">
        {largest.map(({ name, bytes }, index) => (
          <span key={name} data-step={index} style={{ width: `${(bytes / total) * 100}%` }} />
        ))}
      </div>
      <ul className={styles.legend}>
        {largest.map((share, index) => (
          <LegendEntry key={share.name} share={share} step={index} onType={onType} />
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

function bytesOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface LegendEntryProps {
  share: Share;
  /** Which of the bar's colours. */
  step: number;
  onType: (type: string) => void;
}

function LegendEntry({ share: { name, items, bytes }, step, onType }: LegendEntryProps) {
  return (
    <li>
      <button
        type="button"
        onClick={() => onType(name)}
        data-tip={`${counted(items, 'item')}; click to filter`}
      >
        <span className={styles.dot} data-step={step} aria-hidden="true" />
        <UntrustedText text={name} max={28} inside />
        <span className={styles.legendSize}>{byteWords(bytes)}</span>
      </button>
    </li>
  );
}
