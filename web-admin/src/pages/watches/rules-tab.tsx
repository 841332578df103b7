import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';

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
  const can = useCan();
  const [opened, setOpened] = useState<Opened>(null);
  const [removal, setRemoval] = useState<Removal | null>(null);
  const close = () => setOpened(null);
  return (
    <QueryView query={query}>
      {({ webhooks, oversightRules }) => {
        const of = (kind: RuleData['kind']) => oversightRules.filter((rule) => rule.kind === kind);
        return (
          <div className={styles.panels}>
            <Webhooks webhooks={webhooks} />
            <Rules
              title="Watches"
              rules={of('WATCH')}
              columns={WATCH_COLUMNS}
              onRemove={setRemoval}
              empty="Nobody is told of key events, unless of alarms. A watch has a webhook or a command told of each."
              action={
                can('setWatch') &&
                webhooks.length > 0 && <Button onClick={() => setOpened('watch')}>Add a watch…</Button>
              }
            />
            <Rules
              title="Pins"
              rules={of('PIN')}
              columns={PIN_COLUMNS}
              onRemove={setRemoval}
              empty="No key is pinned. The page of a server pins what it lists today."
            />
            <Rules
              title="Other notaries"
              rules={of('NOTARY')}
              columns={NOTARY_COLUMNS}
              onRemove={setRemoval}
              empty="No other notary is asked when a server appears or its keys change."
              action={can('setNotary') && <Button onClick={() => setOpened('notary')}>Add a notary…</Button>}
            />
            <WatchDialog name={null} webhooks={webhooks} opened={opened === 'watch'} onClose={close} />
            <NotaryDialog opened={opened === 'notary'} onClose={close} />
            <RemoveDialog removal={removal} onClose={() => setRemoval(null)} />
          </div>
        );
      }}
    </QueryView>
  );
}

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
        empty={<EmptyState title={`No ${title.toLowerCase()}`}>{empty}</EmptyState>}
      />
    </Panel>
  );
}
