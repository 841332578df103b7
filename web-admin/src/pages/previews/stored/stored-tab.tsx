import { useLocation } from 'wouter';

import { useQuery } from '../../../api/use-query.js';
import { useHeldList } from '../../../live/use-held-list.js';
import { useCan } from '../../../session/viewer-context.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { useSelection } from '../../../ui/table/selection.js';
import type { BulkAction, RowAction } from '../../../ui/table/table-types.js';
import { runHref } from '../../jobs/use-run-job.js';
import { TryBox } from '../../try/try-box.js';
import { tryHref } from '../../try/try-href.js';
import { allWords } from '../all-words.js';
import { previewNoun, useDeletePreviews } from '../delete-previews.js';
import { previewsQuery } from '../previews-query.js';
import type { PreviewRow } from '../previews-query.js';
import { COLUMNS_OF_VIEWERS, STORED_COLUMNS } from './stored-columns.js';
import { StoredFilters } from './stored-filters.js';
import { NO_FILTER, filterOf, useStoredView } from './stored-view.js';
import type { StoredView } from './stored-view.js';
import { useForgetPreviews } from '../use-forget-previews.js';
import { useRefreshPreviews } from '../use-refresh-previews.js';

/** Previews in the store, whatever instance made them. */
export function StoredTab() {
  const can = useCan();
  const view = useStoredView();
  const query = useQuery(
    previewsQuery,
    { ...view.page, sort: view.sort, filter: filterOf(view) },
    { live: 'list' },
  );
  const held = useHeldList(query.data?.previews, {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const previews = held.shown;
  const selection = useSelection(JSON.stringify(view.filter));
  const deletion = useDeletePreviews(filterOf(view), selection.clear);
  const { refresh, actionsOf } = useRowActions(view, deletion.ask);
  const all =
    previews === undefined ? null : allWords(previews.totalCount, previews.nodes.length, previewNoun);
  const bulk: BulkAction[] = [
    {
      label: 'Refresh',
      needs: 'refreshPreviews',
      allowsAll: false,
      onSelect: () => refresh([...selection.ids]),
    },
    {
      label: 'Delete…',
      needs: 'deletePreviews',
      danger: true,
      onSelect: () => (selection.all ? deletion.askAll() : deletion.ask([...selection.ids])),
    },
  ];
  return (
    <>
      <StoredFilters view={view} />
      <Panel flush>
        <DataTable
          caption="Stored previews"
          rows={previews?.nodes}
          rowId={({ id }) => id}
          columns={can('tryPreview') ? STORED_COLUMNS : COLUMNS_OF_VIEWERS}
          actions={actionsOf}
          sort={{ ...view.sort, onSort: (field) => view.sortBy(field as typeof view.sort.field) }}
          selection={selection}
          bulk={bulk}
          {...(all === null ? {} : { allThatMatch: all })}
          failure={query.error}
          onRetry={() => void query.refetch()}
          isStale={query.isPlaceholderData}
          newer={{ count: held.newer, onShow: held.show }}
          empty={<NoPreviews isFiltered={JSON.stringify(view.filter) !== NO_FILTER} />}
          {...(previews === undefined
            ? {}
            : {
                pager: {
                  view,
                  pageInfo: previews.pageInfo,
                  total: previews.totalCount,
                  count: previews.nodes.length,
                },
              })}
        />
      </Panel>
      {deletion.dialog}
    </>
  );
}

/** What can be done with one preview. */
function useRowActions(view: StoredView, askDelete: (ids: readonly string[]) => void) {
  const [, navigate] = useLocation();
  const forget = useForgetPreviews();
  const start = useRefreshPreviews();
  const refresh = (ids: readonly string[]) =>
    void start(ids).then((run) => run !== null && navigate(runHref(run)));
  const actionsOf = ({ id, url, host, inMemory }: PreviewRow): RowAction[] => [
    { label: 'Try', needs: 'tryPreview', href: tryHref(url) },
    {
      label: 'Refresh',
      needs: 'refreshPreviews',
      hint: 'Makes it anew and replaces it',
      onSelect: () => refresh([id]),
    },
    ...(inMemory === null
      ? []
      : [
          {
            label: 'Forget in memory',
            needs: 'forgetMemoryPreviews',
            hint: 'The stored one stays',
            onSelect: () => void forget([inMemory.id]),
          },
        ]),
    { label: `Only ${host}`, onSelect: () => view.setFilter({ host }) },
    { label: 'Delete…', needs: 'deletePreviews', danger: true, onSelect: () => askDelete([id]) },
  ];
  return { refresh, actionsOf };
}

function NoPreviews({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No preview matches">
        Take a filter away, or see what an address would give:
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
