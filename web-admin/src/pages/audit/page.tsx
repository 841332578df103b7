import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { useQuery } from '../../api/use-query.js';
import { useHeldList } from '../../live/use-held-list.js';
import { useViewer } from '../../session/viewer-context.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { SinceSelect } from '../../ui/filter/since-select.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { auditQuery } from './audit-query.js';
import type { AuditRow } from './audit-query.js';
import { SHAPE, filterOf, useAuditView } from './audit-view.js';
import type { AuditView } from './audit-view.js';
import { COLUMNS } from './columns.js';
import { EventDrawer } from './event-drawer.js';
import styles from './audit.module.css';

/** What operators changed: who, what, when, from where, and how it ended. */
export function Page() {
  const { role } = useViewer();
  if (role === 'VIEWER')
    return (
      <>
        <PageHeader title="Audit" />
        <EmptyState title="Operators and admins see this page">
          You are signed in as viewer. Ask an admin for a sign-in code with a higher role.
        </EmptyState>
      </>
    );
  return <Audit />;
}

function Audit() {
  const view = useAuditView();
  const [shown, setShown] = useState<AuditRow | null>(null);
  const variables = { first: view.page.first ?? view.size, after: view.page.after, filter: filterOf(view) };
  const query = useQuery(auditQuery, variables, { live: 'list' });
  const held = useHeldList(query.data?.auditEvents, {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const events = held.shown;
  return (
    <>
      <PageHeader
        title="Audit"
        description="Everything operators changed. Entries are never altered or deleted."
        actions={<Exports />}
      />
      <AuditFilters view={view} />
      <Panel flush>
        <DataTable
          caption="Actions of operators"
          rows={events?.nodes}
          rowId={({ id }) => id}
          columns={COLUMNS}
          actions={(row) => [
            { label: 'Show entry', onSelect: () => setShown(row) },
            { label: 'All of this person', onSelect: () => view.setFilter({ actor: row.actor }) },
            { label: 'All of this kind', onSelect: () => view.setFilter({ action: row.action }) },
          ]}
          isStale={query.isPlaceholderData}
          failure={query.error}
          onRetry={() => void query.refetch()}
          newer={{ count: held.newer, onShow: held.show }}
          empty={
            <EmptyState title="No admin actions yet">
              When an operator deletes, refreshes, pauses or lets somebody in, it stands here.
            </EmptyState>
          }
          {...(events === undefined
            ? {}
            : {
                pager: {
                  view,
                  pageInfo: events.pageInfo,
                  total: events.totalCount,
                  count: events.nodes.length,
                  hasBack: false,
                },
              })}
        />
      </Panel>
      <EventDrawer event={shown} onClose={() => setShown(null)} />
    </>
  );
}

/** Both are downloads the browser does by itself; the export is audited, too. */
function Exports() {
  const { basePath } = useBackend();
  const address = (format: string) => `${basePath}/api/audit/export?format=${format}`;
  return (
    <div className={styles.exports}>
      <Button component="a" href={address('csv')} download leftSection={<IconDownload size={15} />}>
        CSV
      </Button>
      <Button component="a" href={address('jsonl')} download leftSection={<IconDownload size={15} />}>
        JSON lines
      </Button>
    </div>
  );
}

function AuditFilters({ view }: { view: AuditView }) {
  const { filter, setFilter } = view;
  const pills = [
    ...(filter.actor === ''
      ? []
      : [{ label: `by ${filter.actor}`, onRemove: () => setFilter({ actor: '' }) }]),
    ...(filter.action === '' ? [] : [{ label: filter.action, onRemove: () => setFilter({ action: '' }) }]),
  ];
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Words, or actor: action:"
      groups={[
        {
          label: 'Outcome',
          value: filter.outcome,
          options: [
            { value: 'OK', label: 'Ok' },
            { value: 'FAILED', label: 'Failed' },
          ],
          onChange: (value) => setFilter({ outcome: SHAPE.outcome.parse(value) }),
        },
      ]}
      qualifiers={{
        actor: (value) => setFilter({ actor: value }),
        action: (value) => setFilter({ action: value }),
      }}
      pills={pills}
    >
      <SinceSelect value={filter.since} onChange={(since) => setFilter({ since })} />
    </FilterBar>
  );
}
