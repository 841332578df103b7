import { Button } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import { useHeldList } from '../../live/use-held-list.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { DataTableProps } from '../../ui/table/data-table.js';
import { useSelection } from '../../ui/table/selection.js';
import { choice, useSearchParams } from '../../url/search-params.js';
import { useRunJob } from '../jobs/use-run-job.js';
import { allWords } from '../previews/all-words.js';
import { useDeleteMedia } from './delete-media.js';
import { columnsFor } from './list/media-columns.js';
import { MediaFilters } from './list/media-filters.js';
import { MediaGrid } from './list/media-grid.js';
import { mediaQuery } from './media-query.js';
import type { MediaRow } from './media-query.js';
import { NO_FILTER, filterOf, useMediaView } from './list/media-view.js';
import type { MediaView } from './list/media-view.js';
import { mediaNoun } from './media-words.js';
import { Space } from './space/space.js';
import { useMediaActions } from './list/use-media-actions.js';
import styles from './media.module.css';

const SHAPE = { view: choice(['table', 'grid'], 'table') };

/** Stored pages and pictures: where the space goes, and each item with when it is deleted. */
export function Page() {
  const view = useMediaView();
  const [{ view: form }, change] = useSearchParams(SHAPE);
  const can = useCan();
  const runJob = useRunJob();
  const { list, dialog } = useMediaList(view);
  return (
    <>
      <PageHeader
        title="Media"
        description="Pages and pictures fetched for previews. They are deleted when their time is over."
        actions={
          can('runJob') && (
            <Button
              data-tip="Runs media_sweep: looks for files that are missing or that nothing knows"
              onClick={() => void runJob('media_sweep', 'Verifying files')}
            >
              Verify files
            </Button>
          )
        }
      />
      <div className={styles.top}>
        <Space
          onType={(type) => view.setFilter({ type })}
          onDay={(day) => view.setFilter({ from: `${day}T00:00`, to: `${day}T23:59` })}
        />
      </div>
      <MediaFilters view={view} form={form} onForm={(value) => change({ view: SHAPE.view.parse(value) })} />
      <Panel flush>{form === 'grid' ? <MediaGrid {...list} /> : <DataTable {...list} />}</Panel>
      {dialog}
    </>
  );
}

/** What table and grid draw alike. */
function useMediaList(view: MediaView) {
  const { role } = useViewer();
  const query = useQuery(
    mediaQuery,
    { ...view.page, sort: view.sort, filter: filterOf(view) },
    { live: 'list' },
  );
  const held = useHeldList(query.data?.media, {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const selection = useSelection(JSON.stringify(view.filter));
  const deletion = useDeleteMedia(filterOf(view), selection.clear);
  const actions = useMediaActions(view, deletion.ask);
  const media = held.shown;
  const all = media === undefined ? null : allWords(media.totalCount, media.nodes.length, mediaNoun);
  const list: DataTableProps<MediaRow> = {
    caption: 'Stored media',
    rows: media?.nodes,
    rowId: ({ id }) => id,
    columns: columnsFor(role),
    actions,
    sort: { ...view.sort, onSort: (field) => view.sortBy(field as typeof view.sort.field) },
    selection,
    bulk: [
      {
        label: 'Delete…',
        needs: 'deleteMedia',
        danger: true,
        onSelect: () => (selection.all ? deletion.askAll() : deletion.ask([...selection.ids])),
      },
    ],
    ...(all === null ? {} : { allThatMatch: all }),
    failure: query.error,
    onRetry: () => void query.refetch(),
    isStale: query.isPlaceholderData,
    newer: { count: held.newer, onShow: held.show },
    empty: <NoMedia isFiltered={JSON.stringify(view.filter) !== NO_FILTER} />,
    ...(media === undefined
      ? {}
      : {
          pager: { view, pageInfo: media.pageInfo, total: media.totalCount, count: media.nodes.length },
        }),
  };
  return { list, dialog: deletion.dialog };
}

function NoMedia({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No media matches">Take a filter away to see more.</EmptyState>;
  return (
    <EmptyState title="No media stored">
      Pages and pictures arrive with the previews that clients ask for.
    </EmptyState>
  );
}
