import { Group } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useHeldTable } from '../../ui/table/list-table.js';
import { forwardPage } from '../../ui/table/list-view.js';
import { AuditFilters } from './audit-filters.js';
import { auditQuery, type AuditRow } from './audit-query.js';
import { filterOf, useAuditView, type AuditView } from './audit-view.js';
import { COLUMNS } from './columns.js';
import { EventDrawer } from './event-drawer.js';
import { Exports } from './exports.js';

/** What operators changed: who, what, when, from where, and how it ended. */
export function AuditTab() {
  const view = useAuditView();
  const [shown, setShown] = useState<AuditRow | null>(null);
  return (
    <>
      <Group justify="flex-end">
        <Exports view={view} />
      </Group>
      <AuditFilters view={view} />
      <AuditTable view={view} onShow={setShown} />
      <EventDrawer event={shown} onClose={() => setShown(null)} />
    </>
  );
}

function AuditTable({ view, onShow }: { view: AuditView; onShow: (event: AuditRow) => void }) {
  const variables = { ...forwardPage(view), filter: filterOf(view) };
  const query = useQuery(auditQuery, variables, { live: 'list' });
  const { table } = useHeldTable(({ auditEvents }) => auditEvents, { query, view, hasBack: false });
  return (
    <Panel flush>
      <DataTable
        {...table}
        caption="Actions of operators"
        columns={COLUMNS}
        actions={(row) => [
          { label: 'Show entry', onSelect: () => onShow(row) },
          { label: 'All of this person', onSelect: () => view.setFilter({ actor: row.actor }) },
          { label: 'All of this kind', onSelect: () => view.setFilter({ action: row.action }) },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No entry matches' : 'No changes yet'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Changes by operators are listed here. Sign-ins and tries show without “Changes only”.'}
          </EmptyState>
        }
      />
    </Panel>
  );
}
