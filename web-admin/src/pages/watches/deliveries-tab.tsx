import { Button } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { Chips } from '../../ui/filter/chips.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { StateBadge, type Tone } from '../../ui/state/state-badge.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { oneOf, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { deliveriesQuery, type DeliveryData } from './watches-query.js';
import styles from './watches.module.css';

const STATES: Record<DeliveryData['state'], { tone: Tone; word: string }> = {
  DONE: { tone: 'ok', word: 'delivered' },
  WAITING: { tone: 'busy', word: 'waiting' },
  FAILED: { tone: 'bad', word: 'given up' },
};
const CHANNELS = { WEBHOOK: 'webhook', COMMAND: 'command of', NOTARY: 'notary' } as const;
const OPTIONS = (['WAITING', 'FAILED', 'DONE'] as const).map((value) => ({
  value,
  label: STATES[value].word,
}));
const SHAPE = { state: oneOf(['WAITING', 'FAILED', 'DONE']), after: text() };

const COLUMNS: readonly Column<DeliveryData>[] = [
  {
    id: 'what',
    title: 'What',
    isMain: true,
    cell: ({ kind, subject }) => (
      <>
        {kind.replaceAll('_', ' ')}
        {kind !== 'test' && (
          <span className={styles.small}>
            <UntrustedText text={subject} max={80} />
          </span>
        )}
      </>
    ),
  },
  {
    id: 'to',
    title: 'To',
    width: '200px',
    cell: ({ channel, destination }) => (
      <>
        {CHANNELS[channel]}{' '}
        {destination === '*' ? 'all servers' : <UntrustedText text={destination} max={60} />}
      </>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: '130px',
    cell: ({ state, message }) => {
      const { tone, word } = state === 'WAITING' && message !== null ? RETRIED : STATES[state];
      return <StateBadge tone={tone}>{word}</StateBadge>;
    },
  },
  {
    id: 'message',
    title: 'Last attempt',
    width: '280px',
    cell: ({ attempts, message, nextTryAt }) => (
      <>
        {message === null ? 'none yet' : <UntrustedText text={message} max={160} />}
        <span className={styles.small}>
          {counted(attempts, 'attempt')}
          {nextTryAt !== null && (
            <>
              , next <RelativeTime at={nextTryAt} />
            </>
          )}
        </span>
      </>
    ),
  },
  { id: 'at', title: 'Since', width: '110px', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

const RETRIED = { tone: 'warn', word: 'tried again' } as const;

/** What was sent, waits, or was given up, newest first. */
export function DeliveriesTab() {
  const [{ state, after }, change] = useSearchParams(SHAPE);
  const variables = { after: after === '' ? null : after, filter: { state } };
  const query = useQuery(deliveriesQuery, variables, { live: 'list' });
  const page = query.data?.deliveries;
  const choose = (value: string | null) => change({ state: SHAPE.state.parse(value), after: '' });
  return (
    <div className={styles.panels}>
      <Chips group={{ label: 'State', value: state, options: OPTIONS, onChange: choose }} />
      <Panel flush>
        <DataTable
          caption="Deliveries"
          rows={page?.nodes}
          rowId={({ id }) => id}
          columns={COLUMNS}
          isStale={query.isPlaceholderData}
          error={query.error}
          onRetry={() => void query.refetch()}
          empty={<EmptyState title="No such deliveries">They are kept for alerts.retention.</EmptyState>}
        />
      </Panel>
      <div className={styles.more}>
        {after !== '' && <Button onClick={() => change({ after: '' }, { push: true })}>Newest</Button>}
        {page?.pageInfo.hasNextPage === true && (
          <Button onClick={() => change({ after: page.pageInfo.endCursor ?? '' }, { push: true })}>
            Older
          </Button>
        )}
      </div>
    </div>
  );
}
