import { Link } from 'wouter';

import type { Column } from '../../../ui/table/table-types.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { RuleData } from '../blocking-query.js';
import { KINDS, RuleParts } from '../rule-words.js';
import styles from '../blocking.module.css';

/** What one rule refused. */
export function hitsHref(ruleId: string): string {
  return `/blocking?tab=hits&rule=${encodeURIComponent(ruleId)}`;
}

/** Columns of the rules. */
export const RULE_COLUMNS: readonly Column<RuleData>[] = [
  {
    id: 'rule',
    title: 'Rule',
    isMain: true,
    cell: ({ parts }) => <RuleParts parts={parts} />,
  },
  { id: 'kind', title: 'Kind', width: '140px', cell: ({ kind }) => KINDS[kind] },
  {
    id: 'list',
    title: 'Where',
    width: '280px',
    isLong: true,
    cell: ({ setting, position, origin, createdAt }) => (
      <span className={styles.rule}>
        <span>
          {setting === 'built in' ? 'built in' : createdAt === null ? `${setting}[${position}]` : setting}
        </span>
        {setting !== 'built in' && origin !== setting && (
          <span className={styles.origin}>
            <UntrustedText text={origin} max={80} />
            {createdAt !== null && (
              <>
                , <RelativeTime at={createdAt} />
              </>
            )}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'hits',
    title: 'Hits',
    align: 'end',
    width: '80px',
    cell: ({ id, hits }) => (hits === 0 ? '0' : <Link href={hitsHref(id)}>{hits.toLocaleString('en')}</Link>),
  },
  {
    id: 'last',
    title: 'Last hit',
    width: '120px',
    cell: ({ lastHitAt }) => <RelativeTime at={lastHitAt} none="never" />,
  },
];
