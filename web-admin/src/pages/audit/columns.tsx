import { StateBadge } from '../../ui/state/state-badge.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { AuditRow } from './audit-query.js';
import { METHOD_WORDS } from './method-words.js';
import { toneOfOutcome } from './outcome-tone.js';
import styles from './audit.module.css';

/** Columns of the audit table. */
export const COLUMNS: readonly Column<AuditRow>[] = [
  {
    id: 'at',
    title: 'Time',
    width: '110px',
    cell: ({ at }) => <RelativeTime at={at} />,
  },
  {
    id: 'summary',
    title: 'What',
    isMain: true,
    cell: ({ summary }) => <UntrustedText text={summary} max={120} />,
  },
  {
    id: 'actor',
    title: 'Who',
    width: '210px',
    cell: ({ actor, role, method }) => (
      <span className={styles.what}>
        <UntrustedText text={actor} max={36} />
        <span className={styles.quiet}>
          {role.toLowerCase()}, {METHOD_WORDS[method]}
        </span>
      </span>
    ),
  },
  {
    id: 'outcome',
    title: 'Outcome',
    width: '100px',
    cell: ({ outcome }) => <StateBadge tone={toneOfOutcome(outcome)}>{outcome.toLowerCase()}</StateBadge>,
  },
  {
    id: 'address',
    title: 'From',
    width: '140px',
    cell: ({ address }) => address ?? '—',
  },
];
