import { useQuery } from '../../../api/use-query.js';
import { useViewer } from '../../../session/viewer-context.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import type { DataTableProps, BulkAction } from '../../../ui/table/table-types.js';
import { useHeldTable } from '../../../ui/table/list-table.js';
import { useSelection } from '../../../ui/table/selection.js';
import { allWords } from '../../previews/all-words.js';
import { useDeleteMedia } from '../delete-media.js';
import { mediaQuery, type MediaRow } from '../media-query.js';
import { columnsFor } from './media-columns.js';
import { filterOf, wordsOf, type MediaView } from './media-view.js';
import { useMediaActions } from './use-media-actions.js';

/** What table and grid draw alike, and the dialog that asks before something is deleted. */
export function useMediaList(view: MediaView) {
  const { role } = useViewer();
  const filter = filterOf(view);
  const query = useQuery(
    mediaQuery,
    { ...view.page, sortBy: view.sort.field, direction: view.sort.direction, filter },
    { live: 'list' },
  );
  const { list, table } = useHeldTable(({ media }) => media, { query, view });
  const selection = useSelection(JSON.stringify(view.filter));
  const deletion = useDeleteMedia({ filter, words: wordsOf(view) }, selection.clear);
  const bulk: BulkAction[] = [
    {
      label: 'Delete…',
      needs: 'deleteMedia',
      danger: true,
      onSelect: () => (selection.all ? deletion.askAll() : deletion.ask([...selection.ids])),
    },
  ];
  const props: DataTableProps<MediaRow> = {
    ...table,
    caption: 'Stored media',
    columns: columnsFor(role),
    actions: useMediaActions(view, deletion.ask),
    selection,
    bulk,
    allThatMatch: allWords(list, 'media item'),
    empty: <NoMedia isFiltered={view.isFiltered} />,
  };
  return { list: props, dialog: deletion.dialog };
}

function NoMedia({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No media matches">Remove a filter to see more.</EmptyState>;
  return (
    <EmptyState title="No media stored">
      Pages and images arrive with the previews that clients ask for.
    </EmptyState>
  );
}
