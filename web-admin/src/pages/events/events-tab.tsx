import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useHeldTable } from '../../ui/table/list-table.js';
import type { RowAction } from '../../ui/table/table-types.js';
import { AcknowledgeDialog } from '../server/alarm/acknowledge-dialog.js';
import { COLUMNS, eventsHref } from './columns.js';
import { eventsQuery, type EventRow } from './events-query.js';
import { useEventsView, variablesOf, type EventsView } from './events-view.js';
import { EventsFilters } from './filters.js';

/** What happened to the keys of all servers, newest first. */
export function EventsTab() {
  const view = useEventsView();
  const [alarm, setAlarm] = useState<EventRow | null>(null);
  // The names stay while the dialog fades out.
  const [kept, setKept] = useState<EventRow | null>(null);
  if (alarm !== null && alarm !== kept) setKept(alarm);
  return (
    <>
      <EventsFilters view={view} />
      <EventsTable view={view} onAcknowledge={setAlarm} />
      <AcknowledgeDialog
        serverName={kept?.server.name ?? ''}
        throughId={kept?.id ?? ''}
        opened={alarm !== null}
        onClose={() => setAlarm(null)}
      />
    </>
  );
}

function EventsTable({
  view,
  onAcknowledge,
}: {
  view: EventsView;
  onAcknowledge: (event: EventRow) => void;
}) {
  const query = useQuery(eventsQuery, variablesOf(view), { live: 'list' });
  const { table } = useHeldTable(({ keyEvents }) => keyEvents, { query, view });
  const actionsOf = (event: EventRow): RowAction[] => [
    ...(event.acknowledged === false
      ? [{ label: 'Acknowledge…', needs: 'acknowledgeKeyAlarm', onSelect: () => onAcknowledge(event) }]
      : []),
    { label: 'Open server', href: eventsHref(event.server.name) },
    { label: 'All of this server', onSelect: () => view.setFilter({ server: event.server.name, q: '' }) },
  ];
  return (
    <Panel flush>
      <DataTable
        {...table}
        caption="Key events"
        columns={COLUMNS}
        actions={actionsOf}
        empty={
          <EmptyState title={view.isFiltered ? 'No event matches' : 'Nothing has happened to any keys'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Events arrive when keys are fetched and are not what they were.'}
          </EmptyState>
        }
      />
    </Panel>
  );
}
