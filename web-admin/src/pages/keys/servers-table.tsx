import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page/panel.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useHeldTable } from '../../ui/table/list-table.js';
import { useSelection, type Selection } from '../../ui/table/selection.js';
import type { BulkAction, RowAction } from '../../ui/table/table-types.js';
import { COLUMNS } from './columns.js';
import { useDeleteRecords } from './ticked/delete-records.js';
import { serverHref } from './server-href.js';
import { keysQuery, type ServerRow } from './keys-query.js';
import { variablesOf, type KeysView } from './keys-view.js';
import { NoServers } from './no-servers.js';
import { useRefreshKeys } from './refresh-keys.js';
import { useRefreshTicked } from './ticked/refresh-ticked.js';

/** The servers with what can be done with one, or with those that are ticked. */
export function ServersTable({ view }: { view: KeysView }) {
  const query = useQuery(keysQuery, variablesOf(view), { live: 'list' });
  const { table } = useHeldTable(({ servers }) => servers, { query, view });
  const selection = useSelection(JSON.stringify(view.filter));
  const deletion = useDeleteRecords((ids) => selection.setMany(ids, false));
  const refreshing = useRefreshTicked(selection.clear);
  const refresh = useRefreshKeys();
  const actionsOf = ({ id, name }: ServerRow): RowAction[] => [
    { label: 'Refresh keys', needs: 'refreshServerKeys', onSelect: () => void refresh([name]) },
    { label: 'Diagnose', needs: 'diagnoseServer', href: `${serverHref(name)}?tab=diagnose` },
    {
      label: 'Delete records…',
      needs: 'deleteKeyRecords',
      danger: true,
      onSelect: () => deletion.ask([id]),
    },
  ];
  return (
    <Panel flush>
      <DataTable
        {...table}
        caption="Servers with stored keys"
        columns={COLUMNS}
        actions={actionsOf}
        selection={selection}
        bulk={bulkOf(selection, { refresh: refreshing.ask, remove: deletion.ask })}
        empty={<NoServers isFiltered={view.isFiltered} />}
      />
      {deletion.dialog}
      {refreshing.dialog}
    </Panel>
  );
}

type Ask = (ids: readonly string[]) => void;

function bulkOf({ ids }: Selection, { refresh, remove }: { refresh: Ask; remove: Ask }): BulkAction[] {
  return [
    { label: 'Refresh keys…', needs: 'refreshServerKeys', onSelect: () => refresh([...ids]) },
    {
      label: 'Delete records…',
      needs: 'deleteKeyRecords',
      danger: true,
      onSelect: () => remove([...ids]),
    },
  ];
}
