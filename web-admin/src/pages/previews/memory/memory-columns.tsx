import type { Column } from '../../../ui/table/table-types.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { MemoryStateBadge } from '../memory-state.js';
import type { MemoryRow } from '../previews-query.js';
import styles from '../previews.module.css';

function Answer({ preview: { status, errcode, message } }: { preview: MemoryRow }) {
  if (status === null) return <span className={styles.none}>not yet</span>;
  if (message === null) return <>{status}</>;
  return (
    <span>
      {status} <UntrustedText text={message} max={90} />
      {errcode !== null && errcode !== 'M_UNKNOWN' && <span className={styles.errcode}>{errcode}</span>}
    </span>
  );
}

/** Columns of the memory cache. */
export const MEMORY_COLUMNS: readonly Column<MemoryRow>[] = [
  {
    id: 'url',
    title: 'URL',
    isMain: true,
    cell: ({ url }) => <UntrustedText text={url} max={70} />,
  },
  {
    id: 'state',
    title: 'State',
    width: '100px',
    cell: ({ state }) => <MemoryStateBadge state={state} />,
  },
  {
    id: 'answer',
    title: 'Answer',
    width: '230px',
    cell: (preview) => <Answer preview={preview} />,
  },
  { id: 'hits', title: 'Asked', align: 'end', width: '64px', cell: ({ hits }) => hits.toLocaleString('en') },
  {
    id: 'started',
    title: 'Made',
    width: '92px',
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
  {
    id: 'expires',
    title: 'Expires',
    width: '84px',
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
];
