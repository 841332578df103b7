import { Button } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { useHeldList } from '../../../live/use-held-list.js';
import { useCan } from '../../../session/viewer-context.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { useListView } from '../../../ui/table/list-view.js';
import { useSelection } from '../../../ui/table/selection.js';
import type { RowAction } from '../../../ui/table/table-types.js';
import { oneOf, text } from '../../../url/search-params.js';
import { TryBox } from '../../try/try-box.js';
import { tryHref } from '../../try/try-href.js';
import { MEMORY_COLUMNS } from './memory-columns.js';
import { previewHref } from '../preview-href.js';
import { memoryPreviewsQuery } from '../previews-query.js';
import type { MemoryRow } from '../previews-query.js';
import { useForgetPreviews } from '../use-forget-previews.js';
import styles from '../previews.module.css';

const SHAPE = { q: text(), state: oneOf(['FAILED', 'RUNNING', 'READY']) };
const SORTS = ['STATE'] as const;
const INITIAL = { field: 'STATE', direction: 'ASC' } as const;

/** The memory cache of this instance, failed entries first. */
export function MemoryTab() {
  const view = useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
  const { q, state } = view.filter;
  const filter = { search: q === '' ? null : q, state };
  const variables = { first: view.page.first ?? view.size, after: view.page.after, filter };
  const query = useQuery(memoryPreviewsQuery, variables, { live: 'view' });
  const held = useHeldList(query.data?.memoryPreviews, {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const selection = useSelection(JSON.stringify(view.filter));
  const forget = useForgetPreviews();
  const previews = held.shown;
  const actionsOf = ({ id, url, state: now }: MemoryRow): RowAction[] => [
    {
      label: 'Forget',
      needs: 'forgetMemoryPreviews',
      hint: 'The next client makes it anew',
      onSelect: () => void forget([id]),
    },
    { label: 'Try', needs: 'tryPreview', href: tryHref(url) },
    ...(now === 'READY' ? [{ label: 'Open stored preview', href: previewHref({ id: '', url }) }] : []),
  ];
  return (
    <>
      <FilterBar
        search={q}
        onSearch={(words) => view.setFilter({ q: words })}
        placeholder="Part of a URL, or state:failed"
        qualifiers={{ state: (value) => view.setFilter({ state: SHAPE.state.parse(value.toUpperCase()) }) }}
        groups={[
          {
            label: 'State',
            value: state,
            options: [
              { value: 'FAILED', label: 'Failed' },
              { value: 'RUNNING', label: 'Being made' },
              { value: 'READY', label: 'Ready' },
            ],
            onChange: (value) => view.setFilter({ state: SHAPE.state.parse(value) }),
          },
        ]}
      >
        <ForgetMany total={previews?.totalCount.count ?? 0} />
      </FilterBar>
      <Panel flush>
        <DataTable
          caption="Previews in memory"
          rows={previews?.nodes}
          rowId={({ id }) => id}
          columns={MEMORY_COLUMNS}
          actions={actionsOf}
          selection={selection}
          bulk={[
            {
              label: 'Forget',
              needs: 'forgetMemoryPreviews',
              onSelect: () => void forget([...selection.ids]).then(selection.clear),
            },
          ]}
          failure={query.error}
          onRetry={() => void query.refetch()}
          isStale={query.isPlaceholderData}
          newer={{ count: held.newer, onShow: held.show }}
          empty={<NothingInMemory isFiltered={q !== '' || state !== null} />}
          {...(previews === undefined
            ? {}
            : {
                pager: {
                  view,
                  pageInfo: previews.pageInfo,
                  total: previews.totalCount,
                  count: previews.nodes.length,
                  hasBack: false,
                },
              })}
        />
      </Panel>
      <p className={styles.hint}>
        Chat clients keep a failure until their page is reloaded: after Forget, users must reload to see the
        preview.
      </p>
    </>
  );
}

/** Forgets what failed at once; asks before everything goes. */
function ForgetMany({ total }: { total: number }) {
  const can = useCan();
  const forget = useForgetPreviews();
  const [isAsking, setAsking] = useState(false);
  if (!can('forgetMemoryPreviews') || total === 0) return null;
  return (
    <span className={styles.forget}>
      <Button onClick={() => void forget('failed')}>Forget failed</Button>
      <Button onClick={() => setAsking(true)}>Forget all…</Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        verb="Forget"
        thing="everything in memory"
        count={0}
        onConfirm={async () => {
          await forget('all');
          return [];
        }}
      >
        <p>
          The memory cache of this instance is emptied. Stored previews stay and answer the next client; what
          failed is tried again.
        </p>
      </ConfirmDialog>
    </span>
  );
}

function NothingInMemory({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState title={isFiltered ? 'Nothing in memory matches' : 'Nothing in memory'}>
      {isFiltered
        ? 'Take a filter away. Entries live for an hour, failures too.'
        : 'Entries live for an hour after a client asked. Try a URL:'}
      {!isFiltered && <TryBox />}
    </EmptyState>
  );
}
