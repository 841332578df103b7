import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateBadge } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { endSessionMutation, METHOD_WORDS, sessionsQuery, type SessionRow } from './access-query.js';

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    title: 'Who',
    isMain: true,
    cell: ({ actor, method, isCurrent }) => (
      <>
        <UntrustedText text={actor} max={40} /> {isCurrent && <StateBadge tone="ok">this one</StateBadge>}
        <Note>{METHOD_WORDS[method]}</Note>
      </>
    ),
  },
  { title: 'Browser', cell: ({ userAgent }) => <UntrustedText text={userAgent} max={44} /> },
  { title: 'From', width: 140, cell: ({ address }) => address ?? '—' },
  { title: 'Signed in', width: 110, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { title: 'Last seen', width: 110, cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} /> },
  { title: 'Ends', width: 110, cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
];

/** Everybody who is signed in. */
export function Sessions() {
  const query = useQuery(sessionsQuery, {}, { live: 'list' });
  const [ending, setEnding] = useState<SessionRow | null>(null);
  const { mutateAsync } = useChange(endSessionMutation);
  const tell = useTell();
  const end = async () => {
    const { userErrors } = (await mutateAsync({ id: ending?.id ?? '' })).endSession;
    if (userErrors.length === 0) tell(`The session of ${ending?.actor ?? ''} has ended`);
    return userErrors;
  };
  return (
    <Panel title="Sessions" flush>
      <QueryView query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState title="Nobody is signed in">You are using a token.</EmptyState>
          ) : (
            <DataTable
              caption="Sessions of operators"
              rows={sessions}
              rowId={({ id }) => id}
              columns={COLUMNS}
              actions={(row) => [
                {
                  label: row.isCurrent ? 'Sign out…' : 'End session…',
                  needs: 'endSession',
                  danger: true,
                  onSelect: () => setEnding(row),
                },
              ]}
            />
          )
        }
      </QueryView>
      <ConfirmDialog
        opened={ending !== null}
        onClose={() => setEnding(null)}
        verb="End"
        thing={ending?.isCurrent ? 'this session' : `the session of ${ending?.actor ?? ''}`}
        onConfirm={end}
      >
        <p>That browser is signed out at its next request. Tokens stay valid; revoke them above.</p>
      </ConfirmDialog>
    </Panel>
  );
}
