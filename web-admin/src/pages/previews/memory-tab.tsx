import { Button } from '@mantine/core';
import { useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { send } from '../../api/send.js';
import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { ConfirmDialog, WhatGoes } from '../../ui/dialog/dialog.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import { choiceField, hostField } from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { EmptyState, StateOf } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column, RowAction } from '../../ui/table/table-types.js';
import { counted } from '../../ui/text/number-words.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { previewHref, tryHref } from '../hrefs.js';
import { MEMORY_STATES, TryBox, useForgetPreviews } from './preview-actions.js';
import { memoryPreviewsQuery, memoryToForgetQuery, type MemoryRow } from './previews-query.js';

const FIELDS = {
  host: hostField('host'),
  state: choiceField('State', ['FAILED', 'RUNNING', 'READY'], {
    FAILED: 'Failed',
    RUNNING: 'In progress',
    READY: 'Ready',
  }),
};
const SORTS = ['STATE'] as const;

const COLUMNS: readonly Column<MemoryRow>[] = [
  { title: 'URL', isMain: true, cell: ({ url }) => <UntrustedText text={url} max={70} /> },
  { title: 'State', width: 110, cell: ({ state }) => <StateOf state={state} of={MEMORY_STATES} /> },
  {
    title: 'Answer',
    width: 230,
    cell: ({ status, message, errcode }) => (
      <>
        {status ?? 'not yet'} {message !== null && <UntrustedText text={message} max={90} />}
        {message !== null && errcode !== null && errcode !== 'M_UNKNOWN' && <Note>{errcode}</Note>}
      </>
    ),
  },
  { title: 'Requests', isNumber: true, width: 80, cell: ({ hits }) => hits.toLocaleString('en') },
  { title: 'Created', width: 100, cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { title: 'Expires', width: 90, cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
];

/** The memory cache of the instance that answers, failed entries first. */
export function MemoryTab() {
  const view = useListView(FIELDS, SORTS, 'STATE');
  const { q, host, state } = view.filter;
  const filter = { search: q || null, host: host || null, state };
  const query = useQuery(memoryPreviewsQuery, { ...view.forward, filter }, { live: 'view' });
  const forget = useForgetPreviews();
  const actionsOf = ({ id, url, stored }: MemoryRow): RowAction[] => {
    const storedHref = stored === null ? null : previewHref({ id: stored.id, url });
    return [
      {
        label: 'Forget',
        needs: 'forgetMemoryPreviews',
        hint: 'The next client makes it anew',
        onSelect: () => void forget([id]),
      },
      { label: 'Try', needs: 'tryPreview', href: tryHref(url) },
      ...(storedHref === null ? [] : [{ label: 'Open stored preview', href: storedHref }]),
    ];
  };
  return (
    <>
      <FilterBar view={view} placeholder="Part of a URL, or host:example.org state:failed">
        <ForgetMany total={query.data?.memoryPreviews.totalCount ?? 0} />
      </FilterBar>
      <List
        view={view}
        query={query}
        of={({ memoryPreviews }) => memoryPreviews}
        hasBack={false}
        caption="Previews in memory"
        columns={COLUMNS}
        actions={actionsOf}
        bulk={[
          {
            label: 'Forget',
            needs: 'forgetMemoryPreviews',
            onSelect: (ids, clear) => void forget(ids ?? []).then(clear),
          },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'Nothing in memory matches' : 'Nothing in memory'}>
            {view.isFiltered
              ? 'Remove a filter. Entries expire after an hour, failures too.'
              : 'Entries live for an hour after a client asked. Try a URL:'}
            {!view.isFiltered && <TryBox />}
          </EmptyState>
        }
      />
      <Note>
        Chat clients keep an error until their page is reloaded: after Forget, users must reload to see the
        preview.
      </Note>
    </>
  );
}

interface Pending {
  which: 'failed' | 'all';
  /** Addresses of the first five. */
  first: readonly string[];
  count: number;
}

/** Forgets what failed, or everything, on all instances: counts it first, then asks. */
function ForgetMany({ total }: { total: number }) {
  const can = useCan();
  const { basePath } = useBackend();
  const attempt = useAttempt();
  const tell = useTell();
  const forget = useForgetPreviews();
  const [{ which, first, count }, setPending] = useState<Pending>({ which: 'all', first: [], count: 0 });
  const [isOpen, setOpen] = useState(false);
  if (!can('forgetMemoryPreviews') || total === 0) return null;
  const ask = async (wanted: Pending['which']) => {
    const variables = { filter: { state: wanted === 'failed' ? ('FAILED' as const) : null } };
    const found = await attempt(
      async () => (await send(basePath, memoryToForgetQuery, { variables })).memoryPreviews,
    );
    if (found === null) return;
    if (found.totalCount === 0) {
      tell(wanted === 'failed' ? 'Nothing in memory has failed' : 'Nothing is in memory');
      return;
    }
    const urls = new Set(found.nodes.map(({ url }) => url));
    setPending({ which: wanted, first: [...urls], count: found.totalCount });
    setOpen(true);
  };
  const number = counted(count, 'preview');
  return (
    <>
      <Button onClick={() => void ask('failed')}>Forget failed…</Button>
      <Button onClick={() => void ask('all')}>Forget all…</Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        verb="Forget"
        thing={which === 'all' ? `all ${number} in memory` : `${number} that failed`}
        count={count}
        onConfirm={async () => {
          await forget(which);
          return [];
        }}
      >
        <WhatGoes filter={which === 'all' ? null : ['failed']} first={first} count={count} />
        <p>
          Clears them from the memory of all instances, whatever this list is filtered by. Stored previews
          stay and answer the next client; failed ones are tried again.
        </p>
      </ConfirmDialog>
    </>
  );
}
