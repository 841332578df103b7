import { StateBadge } from '../../../ui/state/state-badge.js';
import type { Column } from '../../../ui/table/table-types.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import type { RefusalRow } from '../previews-query.js';
import styles from '../previews.module.css';

/** Columns of requests that were refused unread. */
export const REFUSED_COLUMNS: readonly Column<RefusalRow>[] = [
  {
    id: 'message',
    title: 'What clients were told',
    isMain: true,
    cell: ({ message, errcode }) => (
      <span>
        <UntrustedText text={message} max={120} />
        <span className={styles.errcode}>{errcode}</span>
      </span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: '96px',
    cell: ({ status }) => <StateBadge tone={status === 503 ? 'bad' : 'idle'}>{status.toString()}</StateBadge>,
  },
  {
    id: 'times',
    title: 'Times',
    align: 'end',
    width: '84px',
    cell: ({ times }) => times.toLocaleString('en'),
  },
  { id: 'first', title: 'First', width: '100px', cell: ({ firstAt }) => <RelativeTime at={firstAt} /> },
  { id: 'last', title: 'Latest', width: '100px', cell: ({ lastAt }) => <RelativeTime at={lastAt} /> },
  {
    id: 'request',
    title: 'Latest request',
    width: '180px',
    cell: ({ requestId }) => <UntrustedText text={requestId} max={20} mono inside />,
  },
];
