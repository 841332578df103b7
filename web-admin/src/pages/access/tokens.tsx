import { Button, Switch } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useListView } from '../../ui/table/list-view.js';
import { flag } from '../../url/search-params.js';
import { revokeTokenMutation, tokensQuery } from './access-query.js';
import type { TokenRow } from './access-query.js';
import { SCOPES } from './scopes.js';
import { TOKEN_COLUMNS } from './token-columns.js';
import { TokenDialog } from './token-dialog.js';
import styles from './access.module.css';

const SHAPE = { revoked: flag() };
const SORTS = ['CREATED'] as const;
const INITIAL = { field: 'CREATED', direction: 'DESC' } as const;

/** API tokens; the secrets themselves are stored nowhere. */
export function Tokens() {
  const view = useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
  const includeRevoked = view.filter.revoked === true;
  const variables = { first: view.page.first ?? view.size, after: view.page.after, includeRevoked };
  const query = useQuery(tokensQuery, variables, { live: 'list' });
  const [isMaking, setMaking] = useState(false);
  const [doomed, setDoomed] = useState<TokenRow | null>(null);
  const can = useCan();
  const tokens = query.data?.apiTokens;
  return (
    <Panel
      title="API tokens"
      flush
      actions={
        <>
          <Switch
            label="Show revoked"
            checked={includeRevoked}
            onChange={(event) => view.setFilter({ revoked: event.currentTarget.checked ? true : null })}
          />
          {can('createApiToken') && (
            <Button variant="filled" onClick={() => setMaking(true)}>
              New token
            </Button>
          )}
        </>
      }
    >
      <DataTable
        caption="API tokens"
        rows={tokens?.nodes}
        rowId={({ id }) => id}
        columns={TOKEN_COLUMNS}
        actions={(row) =>
          row.revokedAt === null
            ? [{ label: 'Revoke…', needs: 'revokeApiToken', danger: true, onSelect: () => setDoomed(row) }]
            : []
        }
        isStale={query.isPlaceholderData}
        failure={query.error}
        onRetry={() => void query.refetch()}
        empty={<NoTokens />}
        {...(tokens === undefined
          ? {}
          : {
              pager: {
                view,
                pageInfo: tokens.pageInfo,
                total: tokens.totalCount,
                count: tokens.nodes.length,
                hasBack: false,
              },
            })}
      />
      <TokenDialog opened={isMaking} onClose={() => setMaking(false)} />
      <RevokeDialog token={doomed} onClose={() => setDoomed(null)} />
    </Panel>
  );
}

function NoTokens() {
  return (
    <EmptyState title="No tokens">
      A token lets a script or a client in without a password:
      <ul className={styles.scopes}>
        {SCOPES.map(({ scope, label, words }) => (
          <li key={scope}>
            <strong>{label}</strong> – {words}
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

function RevokeDialog({ token, onClose }: { token: TokenRow | null; onClose: () => void }) {
  const { mutateAsync } = useChange(revokeTokenMutation);
  const tell = useTell();
  const run = async () => {
    if (token === null) return [];
    const { revokeApiToken } = await mutateAsync({ input: { id: token.id } });
    if (revokeApiToken.userErrors.length === 0) tell(`Revoked the token ${token.name}`);
    return revokeApiToken.userErrors;
  };
  return (
    <ConfirmDialog
      opened={token !== null}
      onClose={onClose}
      verb="Revoke"
      thing={`the token ${token?.name ?? ''}`}
      count={1}
      onConfirm={run}
    >
      <p>
        Whoever uses it is refused within seconds, and sessions made with it end. It cannot be undone; what
        was done with the token stays.
      </p>
    </ConfirmDialog>
  );
}
