import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { METHOD_WORDS } from '../audit/method-words.js';
import { endSessionMutation, sessionsQuery, type SessionRow } from './access-query.js';
import styles from './access.module.css';

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    id: 'actor',
    title: 'Who',
    isMain: true,
    cell: ({ actor, method, isCurrent }) => (
      <span className={styles.name}>
        <span>
          <UntrustedText text={actor} max={40} /> {isCurrent && <StateBadge tone="ok">this one</StateBadge>}
        </span>
        <span className={styles.quiet}>{METHOD_WORDS[method]}</span>
      </span>
    ),
  },
  {
    id: 'agent',
    title: 'Browser',
    cell: ({ userAgent }) => <UntrustedText text={userAgent ?? '—'} max={44} />,
  },
  { id: 'address', title: 'From', width: '140px', cell: ({ address }) => address ?? '—' },
  {
    id: 'created',
    title: 'Signed in',
    width: '120px',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'seen',
    title: 'Last seen',
    width: '120px',
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
  {
    id: 'expires',
    title: 'Ends',
    width: '120px',
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
];

/** Everybody who is signed in. */
export function Sessions() {
  const query = useQuery(sessionsQuery, {}, { live: 'list' });
  const [ending, setEnding] = useState<SessionRow | null>(null);
  return (
    <Panel title="Sessions" flush>
      <DataTable
        caption="Sessions of operators"
        rows={query.data?.sessions}
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
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={<EmptyState title="Nobody is signed in">You came with a token.</EmptyState>}
      />
      <EndSession session={ending} onClose={() => setEnding(null)} />
    </Panel>
  );
}

function EndSession({ session, onClose }: { session: SessionRow | null; onClose: () => void }) {
  const { mutateAsync } = useChange(endSessionMutation);
  const tell = useTell();
  const run = async () => {
    if (session === null) return [];
    const { endSession } = await mutateAsync({ id: session.id });
    if (endSession.userErrors.length === 0) tell(`The session of ${session.actor} has ended`);
    return endSession.userErrors;
  };
  return (
    <ConfirmDialog
      opened={session !== null}
      onClose={onClose}
      verb="End"
      thing={session?.isCurrent ? 'this session' : `the session of ${session?.actor ?? ''}`}
      count={1}
      onConfirm={run}
    >
      <p>That browser is signed out at its next request. Tokens stay valid; revoke them below.</p>
    </ConfirmDialog>
  );
}
