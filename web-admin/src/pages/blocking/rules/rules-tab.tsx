import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import type { RequestError } from '../../../api/request-error.js';
import { useQuery } from '../../../api/use-query.js';
import { useCan } from '../../../session/viewer-context.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { Chips } from '../../../ui/filter/chips.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import type { RowAction } from '../../../ui/table/table-types.js';
import { oneOf } from '../../../url/params.js';
import { useSearchParams } from '../../../url/search-params.js';
import { rulesQuery, type RuleData } from '../blocking-query.js';
import { hitsHref, RULE_COLUMNS } from './rule-columns.js';
import { KINDS, ruleYaml } from '../rule-words.js';
import { ExportDialog } from './export-dialog.js';
import { RecentChanges } from './recent-changes.js';
import { RemoveRule } from './remove-rule.js';
import { RuleDialog, type RuleEditing } from './rule-dialog.js';
import { EMPTY, entryOfRule } from './rule-entry.js';
import styles from '../blocking.module.css';
import rulesStyles from './rules.module.css';

const SHAPE = { kind: oneOf(['URL_PATTERN', 'URL_ALLOW', 'IP_DENY', 'IP_ALLOW', 'FEDERATION_ALLOW']) };

/** Every rule with where it stands and how often it refused. */
export function RulesTab() {
  const [{ kind }, change] = useSearchParams(SHAPE);
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
        <RuleButtons />
      </div>
      <Rules kind={kind} />
    </div>
  );
}

/** What concerns no single rule. */
function RuleButtons() {
  const can = useCan();
  const [editing, setEditing] = useState<RuleEditing | null>(null);
  const [isExporting, setExporting] = useState(false);
  if (!can('addBlockRule')) return null;
  return (
    <div className={rulesStyles.buttons}>
      <Button onClick={() => setExporting(true)}>Export as YAML…</Button>
      <Button variant="filled" onClick={() => setEditing({ rule: null, entry: EMPTY })}>
        Add a rule…
      </Button>
      <RuleDialog editing={editing} onClose={() => setEditing(null)} />
      <ExportDialog opened={isExporting} onClose={() => setExporting(false)} />
    </div>
  );
}

function Rules({ kind }: { kind: RuleData['kind'] | null }) {
  const query = useQuery(rulesQuery, { kind }, { live: 'list' });
  const [editing, setEditing] = useState<RuleEditing | null>(null);
  const [removal, setRemoval] = useState<RuleData | null>(null);
  const actionsOf = useRuleActions({ setEditing, setRemoval });
  const rules = query.data?.blockRules;
  return (
    <div className={rulesStyles.panels}>
      <RecentChanges rules={query.data?.undoableBlockRules ?? []} />
      {kind === 'URL_PATTERN' && rules?.length === 0 ? (
        <NoPatterns />
      ) : (
        <RuleTable query={query} kind={kind} rules={rules} actions={actionsOf} />
      )}
      <RuleDialog editing={editing} onClose={() => setEditing(null)} />
      <RemoveRule rule={removal} onClose={() => setRemoval(null)} />
    </div>
  );
}

interface RuleTableProps {
  query: { isPlaceholderData: boolean; error: RequestError | null; refetch: () => Promise<unknown> };
  kind: RuleData['kind'] | null;
  rules: readonly RuleData[] | undefined;
  actions: (rule: RuleData) => readonly RowAction[];
}

function RuleTable({ query, kind, rules, actions }: RuleTableProps) {
  return (
    <Panel flush>
      <DataTable
        caption="Rules"
        rows={rules}
        rowId={({ id }) => id}
        columns={RULE_COLUMNS}
        actions={actions}
        isStale={query.isPlaceholderData}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={
          <EmptyState title="No such rule">
            {kind === 'FEDERATION_ALLOW'
              ? 'federation_domain_whitelist is not set, so keys of every server may be fetched.'
              : 'Nothing of this kind is configured.'}
          </EmptyState>
        }
      />
    </Panel>
  );
}

interface Openers {
  setEditing: (editing: RuleEditing) => void;
  setRemoval: (rule: RuleData) => void;
}

function useRuleActions({ setEditing, setRemoval }: Openers): (rule: RuleData) => RowAction[] {
  const can = useCan();
  const tell = useTell();
  const copy = async (rule: RuleData) => {
    await navigator.clipboard.writeText(ruleYaml(rule));
    tell('Copied the rule as YAML');
  };
  return (rule) => [
    ...(rule.revision === null
      ? []
      : [
          {
            label: 'Change…',
            needs: 'changeBlockRule',
            onSelect: () => setEditing({ rule, entry: entryOfRule(rule) }),
          },
          {
            label: rule.standing === 'DISABLED' ? 'Enable…' : 'Disable…',
            needs: 'changeBlockRule',
            onSelect: () =>
              setEditing({ rule, entry: { ...entryOfRule(rule), enabled: rule.standing === 'DISABLED' } }),
          },
          { label: 'Remove…', danger: true, needs: 'removeBlockRule', onSelect: () => setRemoval(rule) },
        ]),
    { label: 'Copy as YAML', onSelect: () => void copy(rule) },
    ...(rule.hits > 0 ? [{ label: 'Show hits', href: hitsHref(rule.id) }] : []),
    ...(can('reloadSettings') && rule.revision === null
      ? [{ label: 'Reload settings…', href: '/settings' }]
      : []),
  ];
}

function NoPatterns() {
  return (
    <Panel>
      <EmptyState title="No URL patterns">
        The built-in address ranges still apply: nothing on this machine or a private network is fetched.{' '}
        <Link href="/blocking?kind=IP_DENY">See them</Link>. Patterns are added here, or in
        url_preview_url_blacklist of the configuration.
      </EmptyState>
    </Panel>
  );
}
