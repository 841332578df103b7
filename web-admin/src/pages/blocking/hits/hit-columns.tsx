import type { Column } from '../../../ui/table/table-types.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { HitRow } from '../blocking-query.js';
import { RuleParts } from '../rule-words.js';
import styles from '../blocking.module.css';

export const STAGES: Readonly<Record<HitRow['stage'], string>> = {
  TARGET: 'Target',
  REDIRECT: 'Redirect',
  OEMBED: 'oEmbed',
  IMAGE: 'Image',
};

/** Columns of the hits' list. */
export const HIT_COLUMNS: readonly Column<HitRow>[] = [
  { id: 'at', title: 'Time', width: '110px', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'url',
    title: 'URL',
    isMain: true,
    cell: ({ url, owner }) => (
      <span className={styles.rule}>
        <UntrustedText text={url} max={80} />
        {owner !== null && (
          <span className={styles.note}>
            for <UntrustedText text={owner} max={48} />
          </span>
        )}
      </span>
    ),
  },
  { id: 'stage', title: 'Stage', width: '90px', cell: ({ stage }) => STAGES[stage] },
  {
    id: 'rule',
    title: 'Rule',
    width: '260px',
    isLong: true,
    cell: ({ ruleText, rule }) => (
      <span className={styles.rule}>
        {rule === null ? (
          <>
            <code className={styles.pattern}>
              <UntrustedText text={ruleText} max={60} />
            </code>
            <span className={styles.note}>in no list any more</span>
          </>
        ) : (
          <>
            <RuleParts parts={rule.parts} />
            <span className={styles.note}>
              <UntrustedText text={rule.source} max={120} />
            </span>
          </>
        )}
      </span>
    ),
  },
  { id: 'address', title: 'Address', width: '110px', cell: ({ address }) => address ?? '—' },
  {
    id: 'request',
    title: 'Request',
    width: '150px',
    cell: ({ requestId }) =>
      requestId === '' ? (
        '—'
      ) : (
        <span>
          <UntrustedText text={requestId} max={20} mono inside />{' '}
          <CopyButton text={requestId} what="request id" />
        </span>
      ),
  },
];
