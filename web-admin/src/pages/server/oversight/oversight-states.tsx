import { StateBadge } from '../../../ui/state/state-badge.js';
import { counted } from '../../../ui/text/counted.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { toldBy } from '../../watches/rule-columns.js';
import type { RuleData } from '../../watches/watches-query.js';
import type { OversightData } from './oversight-query.js';
import styles from './oversight.module.css';

/** Who is told. */
export function Watches({ watches }: { watches: readonly RuleData[] }) {
  if (watches.length === 0) return <>nobody</>;
  return (
    <ul className={styles.lines}>
      {watches.map((watch) => (
        <li key={watch.name}>
          {toldBy(watch)}
          {watch.name === '*' && ', as for all servers'}
          {watch.createdBy === null && ' (configuration)'}
        </li>
      ))}
    </ul>
  );
}

/** Whether the newest record lists what is pinned. */
export function PinState({ pin, wrong }: { pin: RuleData | null; wrong: readonly string[] }) {
  if (pin === null) return <>none</>;
  const words = `${counted(pin.keys.length, 'key')}, others are ${pin.mode === 'REPORT' ? 'told' : 'refused'}`;
  return (
    <>
      <StateBadge tone={wrong.length === 0 ? 'ok' : 'bad'}>
        {wrong.length === 0 ? 'as pinned' : 'contradicted'}
      </StateBadge>
      <span className={styles.small}>
        {words}
        {pin.createdBy === null && ' (configuration)'}
      </span>
      {wrong.length > 0 && (
        <span className={styles.small}>
          not pinned: <UntrustedText text={wrong.join(', ')} mono />
        </span>
      )}
    </>
  );
}

const RESULTS = {
  SAME: { tone: 'ok', word: 'same keys' },
  DIFFERING: { tone: 'bad', word: 'other keys' },
  SILENT: { tone: 'warn', word: 'silent' },
} as const;

/** What each last said. */
export function CrossChecks({ checks }: { checks: OversightData['crossChecks'] }) {
  if (checks.length === 0) return <>none was asked</>;
  return (
    <ul className={styles.lines}>
      {checks.map(({ notary, result, message, at }) => (
        <li key={notary}>
          <UntrustedText text={notary} max={80} />{' '}
          <StateBadge tone={RESULTS[result].tone}>{RESULTS[result].word}</StateBadge> <RelativeTime at={at} />
          {result !== 'SAME' && (
            <span className={styles.small}>
              <UntrustedText text={message} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
