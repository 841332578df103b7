import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { graphql } from '../../gql/gql.js';
import type { KeyEventsPageQuery } from '../../gql/graphql.js';
import { flagField, hostField, selectField, TIME, timesOf } from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { EmptyState, StateBadge } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { serverHref } from '../hrefs.js';
import { AcknowledgeDialog } from '../server/alarm.js';
import { Acknowledged, EVENT_WORDS, SEVERITY_TONES } from './key-words.js';

const eventsQuery = graphql(`
  query KeyEventsPage($first: Int, $after: String, $last: Int, $before: String, $filter: KeyEventFilter) {
    keyEvents(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes {
        id
        at
        kind
        severity
        message
        keyId
        acknowledged
        acknowledgement {
          at
          actor
          reason
        }
        serverName
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

type EventRow = KeyEventsPageQuery['keyEvents']['nodes'][number];

const FIELDS = {
  server: hostField('server'),
  acknowledged: flagField('Alarm', { no: 'Unacknowledged', yes: 'Acknowledged' }),
  kind: selectField('Kind', 'All kinds', EVENT_WORDS),
  ...TIME,
};
const SORTS = ['AT'] as const;

function Kind({ event: { kind, severity, acknowledgement } }: { event: EventRow }) {
  return (
    <>
      <StateBadge tone={acknowledgement !== null ? 'idle' : SEVERITY_TONES[severity]}>
        {EVENT_WORDS[kind]}
      </StateBadge>
      <Acknowledged by={acknowledgement} />
    </>
  );
}

const COLUMNS: readonly Column<EventRow>[] = [
  { title: 'Seen', width: 120, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    title: 'Server',
    isMain: true,
    cell: ({ serverName: name }) => (
      <Link href={serverHref(name, 'events')}>
        <UntrustedText text={name} max={48} inside />
      </Link>
    ),
  },
  { title: 'Kind', width: 200, cell: (event) => <Kind event={event} /> },
  { title: 'What happened', cell: ({ message }) => <UntrustedText text={message} /> },
];

/** What happened to the keys of all servers, newest first. */
export function EventsTab() {
  const view = useListView(FIELDS, SORTS, '-AT');
  const [alarm, setAlarm] = useState<EventRow | null>(null);
  const { q, server, kind, acknowledged } = view.filter;
  const filter = {
    search: q || null,
    server: server || null,
    kinds: kind === null ? null : [kind],
    acknowledged,
    ...timesOf(view.filter),
  };
  const query = useQuery(eventsQuery, { ...view.page, filter }, { live: 'list' });
  return (
    <>
      <FilterBar view={view} placeholder="Server name, or server:" />
      <List
        view={view}
        query={query}
        of={({ keyEvents }) => keyEvents}
        caption="Key events"
        columns={COLUMNS}
        actions={(event) => [
          ...(event.acknowledged === false
            ? [{ label: 'Acknowledge…', needs: 'acknowledgeKeyAlarm', onSelect: () => setAlarm(event) }]
            : []),
          { label: 'Open server', href: serverHref(event.serverName, 'events') },
          {
            label: 'Only this server',
            onSelect: () => view.setFilter({ server: event.serverName, q: '' }),
          },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No event matches' : 'No key events yet'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Events are recorded when fetched keys differ from stored ones.'}
          </EmptyState>
        }
      />
      <AcknowledgeDialog
        serverName={alarm?.serverName ?? ''}
        throughId={alarm?.id ?? ''}
        opened={alarm !== null}
        onClose={() => setAlarm(null)}
      />
    </>
  );
}
