import { Button, Stack, Switch } from '@mantine/core';
import '@mantine/core/styles/Switch.css';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { plainField } from '../../ui/filter/fields.js';
import { SectionHead } from '../../ui/page.js';
import { EmptyState, StateBadge } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { flag } from '../../url/params.js';
import { revokeTokenMutation, SCOPES, tokensQuery, type TokenRow } from './access-query.js';
import { TokenDialog } from './token-dialog.js';

const FIELDS = { revoked: plainField(flag()) };
const SORTS = ['CREATED'] as const;

function stateOf({ revokedAt, expiresAt }: TokenRow) {
  if (revokedAt !== null) return <StateBadge tone="bad">revoked</StateBadge>;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return isOver ? <StateBadge tone="idle">expired</StateBadge> : <StateBadge tone="ok">valid</StateBadge>;
}

const COLUMNS: readonly Column<TokenRow>[] = [
  {
    title: 'Name',
    isMain: true,
    cell: ({ name, hint, createdBy }) => (
      <>
        <UntrustedText text={name === '' ? 'unnamed' : name} max={48} />
        <Note>
          {hint !== '' && <code>{hint}…</code>} created by <UntrustedText text={createdBy} max={32} />
        </Note>
      </>
    ),
  },
  { title: 'State', width: 100, cell: stateOf },
  {
    title: 'Permissions',
    width: 170,
    cell: ({ scopes }) => scopes.map((scope) => SCOPES[scope].label).join(', '),
  },
  { title: 'User', cell: ({ user }) => <UntrustedText text={user} max={40} /> },
  { title: 'Last used', width: 110, cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} none="never" /> },
  { title: 'Expires', width: 110, cell: ({ expiresAt }) => <RelativeTime at={expiresAt} none="never" /> },
];

/** API tokens; the secrets themselves are stored nowhere. */
export function Tokens() {
  const view = useListView(FIELDS, SORTS, '-CREATED');
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<TokenRow | null>(null);
  const can = useCan();
  const variables = { ...view.forward, includeRevoked: view.filter.revoked === true };
  const query = useQuery(tokensQuery, variables, { live: 'list' });
  return (
    <Stack gap="xs">
      <SectionHead
        title="API tokens"
        actions={
          <>
            <Switch
              label="Show revoked"
              checked={view.filter.revoked === true}
              onChange={(event) => view.setFilter({ revoked: event.currentTarget.checked ? true : null })}
            />
            {can('createApiToken') && (
              <Button variant="filled" onClick={() => setMaking(true)}>
                New token
              </Button>
            )}
          </>
        }
      />
      <List
        view={view}
        query={query}
        of={({ apiTokens }) => apiTokens}
        hasBack={false}
        caption="API tokens"
        columns={COLUMNS}
        actions={(row) =>
          row.revokedAt === null
            ? [{ label: 'Revoke…', needs: 'revokeApiToken', danger: true, onSelect: () => setRevoked(row) }]
            : []
        }
        empty={<NoTokens />}
      />
      <TokenDialog opened={isMaking} onClose={() => setMaking(false)} />
      <RevokeDialog token={revoked} onClose={() => setRevoked(null)} />
    </Stack>
  );
}

function NoTokens() {
  return (
    <EmptyState title="No tokens">
      A token lets a script or a client in without a password:
      <ul>
        {Object.values(SCOPES).map(({ label, words }) => (
          <li key={label}>
            <strong>{label}</strong> – {words}
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

/** Asks before a token is refused for good. */
function RevokeDialog({ token, onClose }: { token: TokenRow | null; onClose: () => void }) {
  const { mutateAsync } = useChange(revokeTokenMutation);
  const tell = useTell();
  const revoke = async () => {
    const { userErrors } = (await mutateAsync({ id: token?.id ?? '' })).revokeApiToken;
    if (userErrors.length === 0) tell(`Revoked the token ${token?.name ?? ''}`);
    return userErrors;
  };
  return (
    <ConfirmDialog
      opened={token !== null}
      onClose={onClose}
      verb="Revoke"
      thing={`the token ${token?.name ?? ''}`}
      onConfirm={revoke}
    >
      <p>
        It stops working within seconds and its sessions end. This cannot be undone; what was done with the
        token stays.
      </p>
    </ConfirmDialog>
  );
}
