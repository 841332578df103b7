import { Badge, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { counted } from '../../ui/text/number-words.js';
import { deleteRecordsMutation } from '../server/server-query.js';

import { useQuery } from '../../api/use-query.js';
import type { KeysPageQueryVariables } from '../../gql/graphql.js';
import { choiceField, flagField, hostField, selectField, type Field } from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { EmptyState, ToneIcon } from '../../ui/state.js';
import { useListView, type ListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { serverHref } from '../hrefs.js';
import { CAUSE_WORDS, KeyStateBadge } from './key-words.js';
import { keysQuery, type ServerRow } from './keys-query.js';
import { useRefreshKeys } from './refresh-keys.js';

const failing = flagField('Error', { yes: 'Failing' });
const state = choiceField('State', ['FRESH', 'DUE', 'EXPIRED'], {
  FRESH: 'Fresh',
  DUE: 'Due',
  EXPIRED: 'Expired',
});
const cause: Field<keyof typeof CAUSE_WORDS | null> = {
  ...selectField('Cause', 'Any cause', CAUSE_WORDS),
  draw: (value, set) =>
    value === null ? {} : { pill: { label: CAUSE_WORDS[value], onRemove: () => set(null) } },
};
const FIELDS = {
  server: hostField('server'),
  state,
  failing,
  cause,
  look: flagField('Alarm', { yes: 'Needs attention' }),
  allowed: flagField('Federation', { no: 'Not allowed' }),
  within: selectField('Expires within', 'Expires any time', {
    hour: 'Expires within 1 h',
    day: 'Expires within 1 d',
    week: 'Expires within 1 week',
  }),
};
const SORTS = ['NAME', 'VALID_UNTIL', 'ADDED_AT', 'LAST_FETCH'] as const;
const WITHIN_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

/** "Expires within" counts from the full minute, so that polling asks the same question. */
function variablesOf({
  filter,
  order,
  page,
}: ListView<(typeof SORTS)[number], typeof FIELDS>): KeysPageQueryVariables {
  const minute = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    ...page,
    ...order,
    filter: {
      search: filter.q || null,
      server: filter.server || null,
      state: filter.state,
      failing: filter.failing,
      cause: filter.cause,
      needsLook: filter.look,
      federationAllowed: filter.allowed,
      validUntilBefore:
        filter.within === null ? null : new Date(minute + WITHIN_MS[filter.within]).toISOString(),
    },
  };
}

const COLUMNS: readonly Column<ServerRow>[] = [
  {
    title: 'Server',
    sort: 'NAME',
    isMain: true,
    cell: ({ name, federationAllowed }) => (
      <>
        <Link href={serverHref(name)}>
          <UntrustedText text={name} max={48} inside />
        </Link>{' '}
        {!federationAllowed && (
          <Badge component="span" variant="default">
            not allowed
          </Badge>
        )}
      </>
    ),
  },
  {
    title: 'State',
    width: 130,
    cell: ({ worstState, needsLook }) => (
      <KeyStateBadge state={worstState} alarm={needsLook ? 'server' : null} />
    ),
  },
  { title: 'Keys', isNumber: true, width: 54, cell: ({ keyCount }) => keyCount },
  {
    title: 'Valid until',
    sort: 'VALID_UNTIL',
    width: 100,
    cell: ({ validUntil }) => <RelativeTime at={validUntil} />,
  },
  {
    title: 'Next refresh',
    width: 100,
    cell: ({ backoffUntil, refetchAfter }) => <RelativeTime at={backoffUntil ?? refetchAfter} />,
  },
  { title: 'Last fetch', sort: 'LAST_FETCH', width: 210, cell: (server) => <LastFetch server={server} /> },
  { title: 'Added', sort: 'ADDED_AT', width: 100, cell: ({ addedAt }) => <RelativeTime at={addedAt} /> },
];

/** Why it failed stands before how often. */
function LastFetch({ server: { lastFetch, failCount, failureCause } }: { server: ServerRow }) {
  if (lastFetch === null) return 'never';
  const isOk = lastFetch.outcome === 'OK';
  return (
    <>
      <ToneIcon tone={isOk ? 'ok' : 'bad'} />{' '}
      {isOk ? 'ok' : failureCause === null ? 'failed' : CAUSE_WORDS[failureCause]}{' '}
      <Note>
        {!isOk && failCount > 1 && `${failCount}×, `}
        <RelativeTime at={lastFetch.startedAt} />
      </Note>
    </>
  );
}

/** Every server with the worst state of its records and how the last fetch went. */
export function ServersTab() {
  const view = useListView(FIELDS, SORTS, 'NAME');
  const query = useQuery(keysQuery, variablesOf(view), { live: 'list' });
  const [deleted, setDeleted] = useState<{ ids: readonly string[]; untick?: () => void } | null>(null);
  const refresh = useRefreshKeys();
  return (
    <Stack gap="sm">
      <FilterBar view={view} placeholder="Server name, server: or state:due" />
      <List
        view={view}
        query={query}
        of={({ servers }) => servers}
        caption="Servers with stored keys"
        columns={COLUMNS}
        actions={({ id, name }) => [
          { label: 'Refresh keys', needs: 'refreshServerKeys', onSelect: () => void refresh(name) },
          { label: 'Diagnose', needs: 'diagnoseServer', href: serverHref(name, 'diagnose') },
          {
            label: 'Delete records…',
            needs: 'deleteKeyRecords',
            danger: true,
            onSelect: () => setDeleted({ ids: [id] }),
          },
        ]}
        bulk={[
          {
            label: 'Delete records…',
            needs: 'deleteKeyRecords',
            danger: true,
            onSelect: (ids, untick) => setDeleted({ ids: ids ?? [], untick }),
          },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No server matches' : 'No keys stored'}>
            {view.isFiltered ? 'Remove a filter to see more.' : 'Keys are stored when a peer requests them.'}{' '}
            {view.filter.q.includes('.') && (
              <Link href={serverHref(view.filter.q)}>Fetch the keys of {view.filter.q}</Link>
            )}
          </EmptyState>
        }
      />
      <DeleteDialog
        ids={deleted?.ids ?? null}
        onClose={() => setDeleted(null)}
        onDone={() => deleted?.untick?.()}
      />
    </Stack>
  );
}

interface DeleteDialogProps {
  /** Servers; null: closed. */
  ids: readonly string[] | null;
  onClose: () => void;
  onDone: () => void;
}

/** Deletes all keys of servers. */
function DeleteDialog({ ids, onClose, onDone }: DeleteDialogProps) {
  const { mutateAsync } = useChange(deleteRecordsMutation);
  const tell = useTell();
  const run = async () => {
    const { userErrors, deleted } = (await mutateAsync({ ids: [...(ids ?? [])] })).deleteKeyRecords;
    if (userErrors.length > 0) return userErrors;
    tell(`Deleted ${counted(deleted, 'key record')}`);
    onDone();
    return [];
  };
  return (
    <ConfirmDialog
      opened={ids !== null}
      onClose={onClose}
      verb="Delete"
      thing={`the keys of ${counted(ids?.length ?? 0, 'server')}`}
      count={ids?.length ?? 0}
      onConfirm={run}
    >
      <p>The next query of a peer fetches them again. The history of fetches and key events stays.</p>
    </ConfirmDialog>
  );
}
