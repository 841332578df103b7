import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Chips } from '../../ui/filter/chips.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { RowAction } from '../../ui/table/table-types.js';
import { oneOf, useSearchParams } from '../../url/search-params.js';
import { rulesQuery, type RuleData } from './blocking-query.js';
import { hitsHref, RULE_COLUMNS } from './rule-columns.js';
import { KINDS, ruleYaml } from './rule-words.js';
import styles from './blocking.module.css';

const SHAPE = { kind: oneOf(['URL_PATTERN', 'IP_DENY', 'IP_ALLOW', 'FEDERATION_ALLOW']) };

/** Every rule with where it stands and how often it refused. */
export function RulesTab() {
  const [{ kind }, change] = useSearchParams(SHAPE);
  return (
    <div className={styles.tab}>
      <div className={styles.chips}>
        <Chips
          group={{
            label: 'Kind',
            value: kind,
            options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
            onChange: (value) => change({ kind: SHAPE.kind.parse(value) }),
          }}
        />
      </div>
      <Rules kind={kind} />
    </div>
  );
}

function Rules({ kind }: { kind: RuleData['kind'] | null }) {
  const query = useQuery(rulesQuery, { kind }, { live: 'list' });
  const actionsOf = useRuleActions();
  const rules = query.data?.blockRules;
  if (kind === 'URL_PATTERN' && rules?.length === 0) return <NoPatterns />;
  return (
    <Panel flush>
      <DataTable
        caption="Rules"
        rows={rules}
        rowId={({ id }) => id}
        columns={RULE_COLUMNS}
        actions={actionsOf}
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

function useRuleActions(): (rule: RuleData) => RowAction[] {
  const can = useCan();
  const tell = useTell();
  const copy = async (rule: RuleData) => {
    await navigator.clipboard.writeText(ruleYaml(rule));
    tell('Copied the rule as YAML');
  };
  return (rule) => [
    { label: 'Copy as YAML', onSelect: () => void copy(rule) },
    ...(rule.hits > 0 ? [{ label: 'Show hits', href: hitsHref(rule.id) }] : []),
    ...(can('reloadSettings') ? [{ label: 'Reload settings…', href: '/settings' }] : []),
  ];
}

function NoPatterns() {
  return (
    <Panel>
      <EmptyState title="No URL patterns">
        The built-in address ranges still apply: nothing on this machine or a private network is fetched.{' '}
        <Link href="/blocking?kind=IP_DENY">See them</Link>. Patterns are added in url_preview_url_blacklist.
      </EmptyState>
    </Panel>
  );
}
