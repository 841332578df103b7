import { Button } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { useCan } from '../../../session/viewer-context.js';
import { Chips } from '../../../ui/filter/chips.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { oneOf } from '../../../url/params.js';
import { useSearchParams } from '../../../url/search-params.js';
import { rulesQuery, type RuleData } from '../blocking-query.js';
import { KINDS } from '../rule-words.js';
import { RemoveRule } from './remove-rule.js';
import { hitsHref, RULE_COLUMNS } from './rule-columns.js';
import { RuleDialog } from './rule-dialog.js';
import styles from '../blocking.module.css';
import rulesStyles from './rules.module.css';

const SHAPE = { kind: oneOf(['URL_PATTERN', 'URL_ALLOW', 'IP_DENY', 'IP_ALLOW', 'FEDERATION_ALLOW']) };

/** Every rule with where it stands and how often it refused. */
export function RulesTab() {
  const can = useCan();
  const [{ kind }, change] = useSearchParams(SHAPE);
  const [isAdding, setAdding] = useState(false);
  return (
    <div className={styles.tab}>
      <div className={rulesStyles.head}>
        <Chips
          group={{
            label: 'Kind',
            value: kind,
            options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
            onChange: (value) => change({ kind: SHAPE.kind.parse(value) }),
          }}
        />
        {can('addBlockRule') && (
          <Button variant="filled" onClick={() => setAdding(true)}>
            Block…
          </Button>
        )}
      </div>
      <Rules kind={kind} />
      <RuleDialog opened={isAdding} onClose={() => setAdding(false)} />
    </div>
  );
}

function Rules({ kind }: { kind: RuleData['kind'] | null }) {
  const query = useQuery(rulesQuery, { kind }, { live: 'list' });
  const [removal, setRemoval] = useState<RuleData | null>(null);
  return (
    <Panel flush>
      <DataTable
        caption="Rules"
        rows={query.data?.blockRules}
        rowId={({ id }) => id}
        columns={RULE_COLUMNS}
        actions={(rule) => [
          ...(rule.createdBy === null
            ? []
            : [
                {
                  label: 'Remove…',
                  danger: true,
                  needs: 'removeBlockRule',
                  onSelect: () => setRemoval(rule),
                },
              ]),
          ...(rule.hits > 0 ? [{ label: 'Show hits', href: hitsHref(rule.id) }] : []),
        ]}
        isStale={query.isPlaceholderData}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={<NoRules kind={kind} />}
      />
      <RemoveRule rule={removal} onClose={() => setRemoval(null)} />
    </Panel>
  );
}

const NONE: Partial<Record<RuleData['kind'], string>> = {
  URL_PATTERN: 'Block hosts and patterns here, or in url_preview_url_blacklist of the configuration.',
  FEDERATION_ALLOW: 'federation_domain_whitelist is not set, so keys of every server may be fetched.',
};

function NoRules({ kind }: { kind: RuleData['kind'] | null }) {
  return (
    <EmptyState title="No such rule">
      {(kind !== null && NONE[kind]) || 'Nothing of this kind is configured.'}
    </EmptyState>
  );
}
