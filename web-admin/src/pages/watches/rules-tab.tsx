import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import type { WatchesPageQuery } from '../../gql/graphql.js';
import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { NotaryDialog } from './notary-dialog.js';
import { RemoveDialog, type Removal } from './remove-dialog.js';
import { NOTARY_COLUMNS, PIN_COLUMNS, WATCH_COLUMNS } from './rule-columns.js';
import { WatchDialog } from './watch-dialog.js';
import { watchesQuery, type RuleData } from './watches-query.js';
import { Webhooks } from './webhooks.js';
import styles from './watches.module.css';

type Opened = 'watch' | 'notary' | null;

/** All rules by kind, those of the configuration first. */
export function RulesTab() {
  const query = useQuery(watchesQuery, {}, { live: 'list' });
  return <QueryView query={query}>{(data) => <AllRules data={data} />}</QueryView>;
}

function AllRules({ data: { webhooks, oversightRules } }: { data: WatchesPageQuery }) {
  const can = useCan();
  const [opened, setOpened] = useState<Opened>(null);
  const [removal, setRemoval] = useState<Removal | null>(null);
  const close = () => setOpened(null);
  const of = (kind: RuleData['kind']) => ({
    rules: oversightRules.filter((rule) => rule.kind === kind),
    ...TEXTS[kind],
    onRemove: setRemoval,
  });
  const addWatch = can('setWatch') && webhooks.length > 0;
  return (
    <div className={styles.panels}>
      <Webhooks webhooks={webhooks} />
      <Rules
        {...of('WATCH')}
        action={addWatch && <Button onClick={() => setOpened('watch')}>Add a watch…</Button>}
      />
      <Rules {...of('PIN')} />
      <Rules
        {...of('NOTARY')}
        action={can('setNotary') && <Button onClick={() => setOpened('notary')}>Add a notary…</Button>}
      />
      <WatchDialog name={null} webhooks={webhooks} opened={opened === 'watch'} onClose={close} />
      <NotaryDialog opened={opened === 'notary'} onClose={close} />
      <RemoveDialog removal={removal} onClose={() => setRemoval(null)} />
    </div>
  );
}

const TEXTS = {
  WATCH: {
    title: 'Watches',
    columns: WATCH_COLUMNS,
    empty: 'Nobody is told of key events, unless of alarms. A watch has a webhook or a command told of each.',
  },
  PIN: {
    title: 'Pins',
    columns: PIN_COLUMNS,
    empty: 'No key is pinned. The page of a server pins what it lists today.',
  },
  NOTARY: {
    title: 'Other notaries',
    columns: NOTARY_COLUMNS,
    empty: 'No other notary is asked when a server appears or its keys change.',
  },
} as const;

interface RulesProps {
  title: string;
  rules: readonly RuleData[];
  columns: readonly Column<RuleData>[];
  empty: string;
  action?: ReactNode;
  onRemove: (removal: Removal) => void;
}

const REMOVERS = { WATCH: 'removeWatch', PIN: 'removePin', NOTARY: 'removeNotary' } as const;

function Rules({ title, rules, columns, empty, action, onRemove }: RulesProps) {
  return (
    <Panel title={title} actions={action} flush>
      <DataTable
        caption={title}
        rows={rules}
        rowId={({ name }) => name}
        columns={columns}
        actions={(rule) =>
          rule.createdBy === null
            ? []
            : [{ label: 'Remove…', danger: true, needs: REMOVERS[rule.kind], onSelect: () => onRemove(rule) }]
        }
        empty={
          <EmptyState title={`No ${title.toLowerCase()}`} isSmall>
            {empty}
          </EmptyState>
        }
      />
    </Panel>
  );
}
