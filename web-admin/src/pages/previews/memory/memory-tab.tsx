import { useQuery } from '../../../api/use-query.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { useHeldTable } from '../../../ui/table/list-table.js';
import { forwardPage } from '../../../ui/table/list-view.js';
import { useSelection } from '../../../ui/table/selection.js';
import type { BulkAction, RowAction } from '../../../ui/table/table-types.js';
import { TryBox } from '../../try/try-box.js';
import { tryHref } from '../../try/try-href.js';
import { ForgetMany } from './forget-many.js';
import { MEMORY_COLUMNS } from './memory-columns.js';
import { MemoryFilters } from './memory-filters.js';
import { filterOf, useMemoryView } from './memory-view.js';
import { previewHref } from '../preview-href.js';
import { memoryPreviewsQuery, type MemoryRow } from '../previews-query.js';
import { useForgetPreviews } from '../use-forget-previews.js';
import styles from '../previews.module.css';

/** The memory cache of the instance that answers, failed entries first. */
export function MemoryTab() {
  const view = useMemoryView();
  const variables = { ...forwardPage(view), filter: filterOf(view) };
  const query = useQuery(memoryPreviewsQuery, variables, { live: 'view' });
  const { list, table } = useHeldTable((data) => data.memoryPreviews, { query, view, hasBack: false });
  const selection = useSelection(JSON.stringify(view.filter));
  const forget = useForgetPreviews();
  const bulk: BulkAction[] = [
    {
      label: 'Forget',
      needs: 'forgetMemoryPreviews',
      onSelect: () => void forget([...selection.ids]).then(selection.clear),
    },
  ];
  return (
    <>
      <MemoryFilters view={view}>
        <ForgetMany total={list?.totalCount ?? 0} />
      </MemoryFilters>
      <Panel flush>
        <DataTable
          {...table}
          caption="Previews in memory"
          columns={MEMORY_COLUMNS}
          actions={(preview) => actionsOf(preview, ({ id }) => void forget([id]))}
          selection={selection}
          bulk={bulk}
          empty={<NothingInMemory isFiltered={view.isFiltered} />}
        />
      </Panel>
      <p className={styles.hint}>
        Chat clients keep an error until their page is reloaded: after Forget, users must reload to see the
        preview.
      </p>
    </>
  );
}

function actionsOf(preview: MemoryRow, onForget: (preview: MemoryRow) => void): RowAction[] {
  const { url, stored } = preview;
  const storedHref = stored === null ? null : previewHref({ id: stored.id, url });
  return [
    {
      label: 'Forget',
      needs: 'forgetMemoryPreviews',
      hint: 'The next client makes it anew',
      onSelect: () => onForget(preview),
    },
    { label: 'Try', needs: 'tryPreview', href: tryHref(url) },
    ...(storedHref === null ? [] : [{ label: 'Open stored preview', href: storedHref }]),
  ];
}

function NothingInMemory({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState title={isFiltered ? 'Nothing in memory matches' : 'Nothing in memory'}>
      {isFiltered
        ? 'Remove a filter. Entries expire after an hour, failures too.'
        : 'Entries live for an hour after a client asked. Try a URL:'}
      {!isFiltered && <TryBox />}
    </EmptyState>
  );
}
