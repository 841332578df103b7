import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page/panel.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useHeldTable } from '../../ui/table/list-table.js';
import { useSelection } from '../../ui/table/selection.js';
import type { BulkAction, RowAction } from '../../ui/table/table-types.js';
import { COLUMNS } from './columns.js';
import { serverHref } from './server-href.js';
import { keysQuery, type ServerRow } from './keys-query.js';
import { variablesOf, type KeysView } from './keys-view.js';
import { NoServers } from './no-servers.js';
import { useRefreshKeys } from './refresh-keys.js';

interface ServersTableProps {
  view: KeysView;
  /** Asks whether the records of these servers shall go. */
  onDelete: (names: readonly string[]) => void;
}

/** The servers with what can be done with one, or with those that are ticked. */
export function ServersTable({ view, onDelete }: ServersTableProps) {
  const query = useQuery(keysQuery, variablesOf(view), { live: 'list' });
  const { list, table } = useHeldTable(({ servers }) => servers, { query, view });
  const selection = useSelection(JSON.stringify(view.filter));
  const { actionsOf, bulkOf } = useServerActions(onDelete);
  const ticked = () => (list?.nodes ?? []).filter(({ id }) => selection.ids.has(id)).map(({ name }) => name);
  return (
    <Panel flush>
      <DataTable
        {...table}
        caption="Servers with stored keys"
        columns={COLUMNS}
        actions={actionsOf}
        selection={selection}
        bulk={bulkOf(ticked, selection.clear)}
        empty={<NoServers isFiltered={view.isFiltered} />}
      />
    </Panel>
  );
}

function useServerActions(onDelete: ServersTableProps['onDelete']) {
  const refresh = useRefreshKeys();
  const actionsOf = ({ name }: ServerRow): RowAction[] => [
    { label: 'Refresh keys', needs: 'refreshServerKeys', onSelect: () => void refresh([name]) },
    { label: 'Diagnose', needs: 'diagnoseServer', href: `${serverHref(name)}?tab=diagnose` },
    { label: 'Delete records…', needs: 'deleteKeyRecords', danger: true, onSelect: () => onDelete([name]) },
  ];
  const bulkOf = (ticked: () => string[], onRefreshed: () => void): BulkAction[] => [
    {
      label: 'Refresh keys',
      needs: 'refreshServerKeys',
      onSelect: () => void refresh(ticked()).then(onRefreshed),
    },
    { label: 'Delete records…', needs: 'deleteKeyRecords', danger: true, onSelect: () => onDelete(ticked()) },
  ];
  return { actionsOf, bulkOf };
}
