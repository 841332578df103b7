import { IconArrowRight } from '@tabler/icons-react';
import { Link } from 'wouter';

import { useViewer } from '../../../session/viewer-context.js';
import { mayOpen } from '../../../shell/nav-items.js';
import { Panel } from '../../../ui/page/panel.js';
import { ToneIcon } from '../../../ui/state/state-badge.js';
import type { Tone } from '../../../ui/state/state-badge.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { OverviewData } from '../overview-query.js';
import styles from './health.module.css';

type Check = OverviewData['health'][number];

const TONES: Record<Check['state'], Tone> = { OK: 'ok', WARNING: 'warn', FAILED: 'bad' };
const RANK: Record<Check['state'], number> = { FAILED: 0, WARNING: 1, OK: 2 };
const WORDS: Record<Check['state'], string> = { OK: 'Fine', WARNING: 'Warning', FAILED: 'Failed' };

function verdict(checks: readonly Check[]): string {
  const bad = checks.filter(({ state }) => state !== 'OK').length;
  if (bad === 0) return 'Everything is fine';
  return bad === 1 ? 'One thing needs attention' : `${bad} things need attention`;
}

/** Sentences, not numbers: what is wrong first, each with the page that fixes it. */
export function HealthPanel({ checks }: { checks: readonly Check[] }) {
  const { role } = useViewer();
  const sorted = checks.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  return (
    <Panel title={<span className={styles.verdict}>{verdict(checks)}</span>} flush>
      <ul className={styles.list}>
        {sorted.map((check) => (
          <li key={check.key} className={styles.check} data-state={check.state}>
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
            </p>
            {check.href !== null && mayOpen(role, check.href) && (
              <Link href={check.href} className={styles.go} aria-label={`Open the page for: ${check.title}`}>
                {check.state === 'OK' ? '' : 'Open'}{' '}
                <IconArrowRight size={15} stroke={1.75} aria-hidden="true" />
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
