import { useQuery } from '../../api/use-query.js';
import { useAttempt } from '../../ui/dialog/use-attempt.js';
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
import { useTickedServers } from './ticked/ticked-servers.js';

/** The servers with what can be done with one, or with those that are ticked. */
export function ServersTable({ view }: { view: KeysView }) {
  const query = useQuery(keysQuery, variablesOf(view), { live: 'list' });
  const { table } = useHeldTable(({ servers }) => servers, { query, view });
  const selection = useSelection(JSON.stringify(view.filter));
  const deletion = useDeleteRecords((ids) => selection.setMany(ids, false));
  const { actionsOf, bulk } = useServerActions(selection, deletion.ask);
  return (
    <Panel flush>
      <DataTable
        {...table}
        caption="Servers with stored keys"
        columns={COLUMNS}
        actions={actionsOf}
        selection={selection}
        bulk={bulk}
        empty={<NoServers isFiltered={view.isFiltered} />}
      />
      {deletion.dialog}
    </Panel>
  );
}

function useServerActions(selection: Selection, askDelete: (ids: readonly string[]) => void) {
  const refresh = useRefreshKeys();
  const read = useTickedServers();
  const attempt = useAttempt();
  const refreshTicked = async () => {
    const found = await attempt(async () => ({
      userErrors: [],
      servers: await read([...selection.ids], { withRecords: false }),
    }));
    if (found === null) return;
    await refresh(found.servers.map(({ name }) => name));
    selection.clear();
  };
  const actionsOf = ({ id, name }: ServerRow): RowAction[] => [
    { label: 'Refresh keys', needs: 'refreshServerKeys', onSelect: () => void refresh([name]) },
    { label: 'Diagnose', needs: 'diagnoseServer', href: `${serverHref(name)}?tab=diagnose` },
    { label: 'Delete records…', needs: 'deleteKeyRecords', danger: true, onSelect: () => askDelete([id]) },
  ];
  const bulk: BulkAction[] = [
    { label: 'Refresh keys', needs: 'refreshServerKeys', onSelect: () => void refreshTicked() },
    {
      label: 'Delete records…',
      needs: 'deleteKeyRecords',
      danger: true,
      onSelect: () => askDelete([...selection.ids]),
    },
  ];
  return { actionsOf, bulk };
}
