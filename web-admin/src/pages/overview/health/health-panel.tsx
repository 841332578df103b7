import { IconArrowRight } from '@tabler/icons-react';
import { Link } from 'wouter';

import { useViewer } from '../../../session/viewer-context.js';
import { mayOpen } from '../../../shell/nav-items.js';
import { Panel } from '../../../ui/page/panel.js';
import { ToneIcon, type Tone } from '../../../ui/state/state-badge.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { needsAttention } from '../../../ui/state/needs-attention.js';
import type { OverviewData } from '../overview-query.js';
import styles from './health.module.css';

type Check = OverviewData['health'][number];

const TONES: Record<Check['state'], Tone> = { OK: 'ok', WARNING: 'warn', FAILED: 'bad', UNPROVED: 'idle' };
const RANK: Record<Check['state'], number> = { FAILED: 0, WARNING: 1, UNPROVED: 2, OK: 3 };
const WORDS: Record<Check['state'], string> = {
  OK: 'Fine',
  WARNING: 'Warning',
  FAILED: 'Failed',
  UNPROVED: 'Not proved',
};

function verdict(checks: readonly Check[]): string {
  const bad = checks.filter(needsAttention).length;
  const isUnproved = checks.some(({ state }) => state === 'UNPROVED');
  if (bad === 0) return isUnproved ? 'Everything that was proved is fine' : 'Everything is fine';
  return bad === 1 ? 'One thing needs attention' : `${bad} things need attention`;
}

/** Sentences, not numbers: what is wrong first, each with the page that fixes it, and how it is known. */
export function HealthPanel({ checks }: { checks: readonly Check[] }) {
  const { role } = useViewer();
  const sorted = checks.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  return (
    <Panel title={<span className={styles.verdict}>{verdict(checks)}</span>} flush>
      <ul className={styles.list}>
        {sorted.map((check) => (
          <li key={check.id} className={styles.check} data-state={check.state}>
            <span className={styles.icon} role="img" aria-label={WORDS[check.state]}>
              <ToneIcon tone={TONES[check.state]} size={13} />
            </span>
            <p className={styles.words}>
              <strong>{check.title}</strong> <UntrustedText text={check.message} />
              {check.advice !== null && (
                <span className={styles.advice}>
                  <UntrustedText text={check.advice} />
                </span>
              )}
              <Proof check={check} />
            </p>
            {check.href !== null && mayOpen(role, check.href) && (
              <Link href={check.href} className={styles.go} aria-label={`Open the page for: ${check.title}`}>
                {needsAttention(check) ? 'Open' : ''}{' '}
                <IconArrowRight size={15} stroke={1.75} aria-hidden="true" />
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** When and how it was last proved. */
function Proof({ check: { state, provedAt, how } }: { check: Check }) {
  return (
    <span className={styles.proof}>
      {state === 'UNPROVED' && 'Not proved'}
      {provedAt !== null && (
        <>
          {state === 'UNPROVED' && ', tried '}
          <RelativeTime at={provedAt} /> · <UntrustedText text={how} />
        </>
      )}
    </span>
  );
}
