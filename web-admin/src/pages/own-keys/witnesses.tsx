import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { entryCount } from './entry-count.js';
import type { LogData, WitnessData } from './log-query.js';
import styles from './own-keys.module.css';

/** The witnesses that cosign its checkpoints, and the result of the last offer to each. */
export function Witnesses({ log: { witnesses, quorum, size, witnessedSize } }: { log: LogData }) {
  if (witnesses.length === 0)
    return (
      <Panel title="Witnesses">
        <EmptyState title="No witnesses yet">
          A witness cosigns checkpoints, so that nobody can be shown a different log: set{' '}
          <code>log.witnesses</code> in the configuration.
        </EmptyState>
      </Panel>
    );
  const isWitnessed = witnessedSize === size;
  return (
    <Panel
      title="Witnesses"
      note={
        <StateBadge tone={isWitnessed ? 'ok' : 'warn'}>
          {isWitnessed ? 'all entries witnessed' : `${entryCount(witnessedSize)} witnessed`}
        </StateBadge>
      }
    >
      <div className={styles.stack}>
        <p className={styles.quiet}>
          A checkpoint with {counted(quorum, 'cosignature')} counts as witnessed.
        </p>
        <ul className={styles.list} aria-label="Witnesses">
          {witnesses.map((witness) => (
            <Witness key={witness.verifierKey} witness={witness} />
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function Witness({ witness }: { witness: WitnessData }) {
  const { name, url, verifierKey, lastCosignedAt, lastCosignedSize, lastError, lastErrorAt } = witness;
  return (
    <li className={styles.key}>
      <h3 className={styles.head}>
        <UntrustedText text={name} mono /> <WitnessBadge witness={witness} />
      </h3>
      <Fields
        items={[
          ['Address', <UntrustedText key="url" text={url} mono />],
          [
            'Verifier key',
            <span key="key">
              <UntrustedText text={verifierKey} mono />{' '}
              <CopyButton text={verifierKey} what={`key of ${name}`} />
            </span>,
          ],
          lastCosignedAt === null
            ? ['Last cosignature', 'none yet']
            : [
                'Last cosignature',
                <span key="last">
                  <RelativeTime at={lastCosignedAt} />, {entryCount(lastCosignedSize ?? 0)}
                </span>,
              ],
          lastError === null || lastErrorAt === null
            ? null
            : [
                'Last failure',
                <span key="error">
                  <RelativeTime at={lastErrorAt} />: <UntrustedText text={lastError} />
                </span>,
              ],
        ]}
      />
    </li>
  );
}

function WitnessBadge({ witness: { failures, lastCosignedAt } }: { witness: WitnessData }) {
  if (failures > 0) return <StateBadge tone="warn">did not cosign</StateBadge>;
  if (lastCosignedAt === null) return <StateBadge tone="idle">not asked yet</StateBadge>;
  return <StateBadge tone="ok">cosigns</StateBadge>;
}
