import { useQuery } from '../../../api/use-query.js';
import { useCan } from '../../../session/viewer-context.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { orderOf } from '../../../ui/table/list-view.js';
import { useHeldTable } from '../../../ui/table/list-table.js';
import { useSelection } from '../../../ui/table/selection.js';
import type { BulkAction } from '../../../ui/table/table-types.js';
import { TryBox } from '../../try/try-box.js';
import { allWords } from '../all-words.js';
import { useDeletePreviews } from '../delete-previews.js';
import { previewsQuery } from '../previews-query.js';
import { useRefreshTicked } from '../refresh-previews.js';
import { COLUMNS_OF_VIEWERS, STORED_COLUMNS } from './stored-columns.js';
import { StoredFilters } from './stored-filters.js';
import { filterOf, useStoredView, wordsOf, type StoredView } from './stored-view.js';
import { useStoredActions } from './use-stored-actions.js';

/** Previews in the store, whatever instance made them. */
export function StoredTab() {
  const view = useStoredView();
  return (
    <>
      <StoredFilters view={view} />
      <StoredTable view={view} />
    </>
  );
}

function StoredTable({ view }: { view: StoredView }) {
  const can = useCan();
  const filter = filterOf(view);
  const query = useQuery(previewsQuery, { ...view.page, ...orderOf(view), filter }, { live: 'list' });
  const { list, table } = useHeldTable(({ previews }) => previews, { query, view });
  const selection = useSelection(JSON.stringify(view.filter));
  const deletion = useDeletePreviews({ filter, words: wordsOf(view) }, selection.clear);
  const refreshing = useRefreshTicked(selection.clear);
  const actionsOf = useStoredActions(view, deletion.ask);
  const bulk: BulkAction[] = [
    {
      label: 'Refresh…',
      needs: 'refreshPreviews',
      allowsAll: false,
      onSelect: () => refreshing.ask([...selection.ids]),
    },
    {
      label: 'Delete…',
      needs: 'deletePreviews',
      danger: true,
      onSelect: () => (selection.all ? deletion.askAll() : deletion.ask([...selection.ids])),
    },
  ];
  return (
    <Panel flush>
      <DataTable
        {...table}
        caption="Stored previews"
        columns={can('tryPreview') ? STORED_COLUMNS : COLUMNS_OF_VIEWERS}
        actions={actionsOf}
        selection={selection}
        bulk={bulk}
        allThatMatch={allWords(list, 'preview')}
        empty={<NoPreviews isFiltered={view.isFiltered} />}
      />
      {deletion.dialog}
      {refreshing.dialog}
    </Panel>
  );
}

function NoPreviews({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No preview matches">
        Remove a filter, or try an address:
        <TryBox />
      </EmptyState>
    );
  return (
    <EmptyState title="Nothing cached">
      Previews arrive when clients ask. Try a URL:
      <TryBox />
    </EmptyState>
  );
}
