import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useHeldList } from '../../live/use-held-list.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useSelection } from '../../ui/table/selection.js';
import type { RowAction } from '../../ui/table/table-types.js';
import { COLUMNS, serverHref } from './columns.js';
import { DeleteRecordsDialog } from './delete-records.js';
import { KeysFilters } from './filters.js';
import { keysQuery } from './keys-query.js';
import type { ServerRow } from './keys-query.js';
import { useKeysView, variablesOf } from './keys-view.js';
import { LookUp } from './look-up.js';
import { useRefreshKeys } from './refresh-keys.js';

const NONE: readonly string[] = [];

/** Every server whose keys are stored, with the worst state of its records and how the last fetch went. */
export function Page() {
  const view = useKeysView();
  const query = useQuery(keysQuery, variablesOf(view), { live: 'list' });
  const held = useHeldList(query.data?.servers, {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const selection = useSelection(JSON.stringify(view.filter));
  const [doomed, setDoomed] = useState(NONE);
  const refresh = useRefreshKeys();
  const servers = held.shown;
  const tickedNames = () =>
    (servers?.nodes ?? []).filter(({ id }) => selection.ids.has(id)).map(({ name }) => name);

  const actionsOf = ({ name }: ServerRow): RowAction[] => [
    { label: 'Refresh keys', needs: 'refreshServerKeys', onSelect: () => void refresh([name]) },
    { label: 'Diagnose', needs: 'diagnoseServer', href: `${serverHref(name)}?tab=diagnose` },
    { label: 'Delete records…', needs: 'deleteKeyRecords', danger: true, onSelect: () => setDoomed([name]) },
  ];
  return (
    <>
      <PageHeader
        title="Keys"
        description="Signing keys of other servers, as peers asked for them."
        actions={
          <Button component={Link} href="/keys/own">
            Our signing keys
          </Button>
        }
      />
      <KeysFilters view={view} />
      <Panel flush>
        <DataTable
          caption="Servers with stored keys"
          rows={servers?.nodes}
          rowId={({ id }) => id}
          columns={COLUMNS}
          actions={actionsOf}
          sort={{ ...view.sort, onSort: (field) => view.sortBy(field as typeof view.sort.field) }}
          selection={selection}
          bulk={[
            {
              label: 'Refresh keys',
              needs: 'refreshServerKeys',
              onSelect: () => void refresh(tickedNames()).then(selection.clear),
            },
            {
              label: 'Delete records…',
              needs: 'deleteKeyRecords',
              danger: true,
              onSelect: () => setDoomed(tickedNames()),
            },
          ]}
          failure={query.error}
          onRetry={() => void query.refetch()}
          isStale={query.isPlaceholderData}
          newer={{ count: held.newer, onShow: held.show }}
          empty={<NoServers isFiltered={JSON.stringify(view.filter) !== EMPTY_FILTER} />}
          {...(servers === undefined
            ? {}
            : {
                pager: {
                  view,
                  pageInfo: servers.pageInfo,
                  total: servers.totalCount,
                  count: servers.nodes.length,
                },
              })}
        />
      </Panel>
      <DeleteRecordsDialog names={doomed} onClose={() => setDoomed(NONE)} />
    </>
  );
}

const EMPTY_FILTER = JSON.stringify({ q: '', state: null, failing: null, allowed: null, within: null });

function NoServers({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No server matches">
        Take a filter away, or look a server up by its name:
        <LookUp />
      </EmptyState>
    );
  return (
    <EmptyState title="No keys stored">
      Keys arrive when a peer asks, or look one up:
      <LookUp />
    </EmptyState>
  );
}
