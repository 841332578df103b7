import { Button, Switch } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { useCan } from '../../../session/viewer-context.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { listTable } from '../../../ui/table/list-table.js';
import { forwardPage, useListView, type ListView } from '../../../ui/table/list-view.js';
import { flag } from '../../../url/params.js';
import { tokensQuery, type TokenRow } from '../access-query.js';
import { RevokeDialog } from './revoke-dialog.js';
import { SCOPES } from '../scopes.js';
import { TOKEN_COLUMNS } from './token-columns.js';
import { TokenDialog } from './token-dialog.js';
import styles from '../access.module.css';

const SHAPE = { revoked: flag() };
const SORTS = ['CREATED'] as const;
const INITIAL = { field: 'CREATED', direction: 'DESC' } as const;

type TokensView = ListView<'CREATED', typeof SHAPE>;

/** API tokens; the secrets themselves are stored nowhere. */
export function Tokens() {
  const view = useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
  const [isMaking, setMaking] = useState(false);
  const [pendingDeletion, setPendingDeletion] = useState<TokenRow | null>(null);
  return (
    <Panel title="API tokens" flush actions={<Tools view={view} onMake={() => setMaking(true)} />}>
      <TokenTable view={view} onRevoke={setPendingDeletion} />
      <TokenDialog opened={isMaking} onClose={() => setMaking(false)} />
      <RevokeDialog token={pendingDeletion} onClose={() => setPendingDeletion(null)} />
    </Panel>
  );
}

function Tools({ view, onMake }: { view: TokensView; onMake: () => void }) {
  const can = useCan();
  return (
    <>
      <Switch
        label="Show revoked"
        checked={view.filter.revoked === true}
        onChange={(event) => view.setFilter({ revoked: event.currentTarget.checked ? true : null })}
      />
      {can('createApiToken') && (
        <Button variant="filled" onClick={onMake}>
          New token
        </Button>
      )}
    </>
  );
}

function TokenTable({ view, onRevoke }: { view: TokensView; onRevoke: (token: TokenRow) => void }) {
  const variables = { ...forwardPage(view), includeRevoked: view.filter.revoked === true };
  const query = useQuery(tokensQuery, variables, { live: 'list' });
  return (
    <DataTable
      {...listTable(query.data?.apiTokens, { query, view, hasBack: false })}
      caption="API tokens"
      columns={TOKEN_COLUMNS}
      actions={(row) =>
        row.revokedAt === null
          ? [{ label: 'Revoke…', needs: 'revokeApiToken', danger: true, onSelect: () => onRevoke(row) }]
          : []
      }
      empty={<NoTokens />}
    />
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
