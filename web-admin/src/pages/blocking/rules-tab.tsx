import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Chips } from '../../ui/filter/chips.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { oneOf, useSearchParams } from '../../url/search-params.js';
import { rulesQuery } from './blocking-query.js';
import type { RuleData } from './blocking-query.js';
import { KINDS, RuleParts, ruleYaml } from './rule-words.js';
import styles from './blocking.module.css';

const SHAPE = { kind: oneOf(['URL_PATTERN', 'IP_DENY', 'IP_ALLOW', 'FEDERATION_ALLOW']) };

const COLUMNS: readonly Column<RuleData>[] = [
  {
    id: 'rule',
    title: 'Rule',
    isMain: true,
    cell: ({ parts }) => <RuleParts parts={parts} />,
  },
  { id: 'kind', title: 'Kind', width: '140px', cell: ({ kind }) => KINDS[kind] },
  {
    id: 'list',
    title: 'Where',
    width: '280px',
    cell: ({ setting, position, origin }) => (
      <span className={styles.rule}>
        <span>{setting === 'built in' ? 'built in' : `${setting}[${position}]`}</span>
        {setting !== 'built in' && origin !== setting && <span className={styles.origin}>{origin}</span>}
      </span>
    ),
  },
  {
    id: 'hits',
    title: 'Hits',
    align: 'end',
    width: '80px',
    cell: ({ id, hits }) =>
      hits === 0 ? (
        '0'
      ) : (
        <Link href={`/blocking?tab=hits&rule=${encodeURIComponent(id)}`}>{hits.toLocaleString('en')}</Link>
      ),
  },
  {
    id: 'last',
    title: 'Last hit',
    width: '120px',
    cell: ({ lastHitAt }) => <RelativeTime at={lastHitAt} none="never" />,
  },
];

/** Every rule with where it stands and how often it refused. */
export function RulesTab() {
  const [{ kind }, change] = useSearchParams(SHAPE);
  const query = useQuery(rulesQuery, { kind }, { live: 'list' });
  const can = useCan();
  const tell = useTell();
  const copy = async (rule: RuleData) => {
    await navigator.clipboard.writeText(ruleYaml(rule));
    tell('Copied the rule as YAML');
  };
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
      {kind === 'URL_PATTERN' && query.data?.blockRules.length === 0 ? (
        <NoPatterns />
      ) : (
        <Panel flush>
          <DataTable
            caption="Rules"
            rows={query.data?.blockRules}
            rowId={({ id }) => id}
            columns={COLUMNS}
            actions={(rule) => [
              { label: 'Copy as YAML', onSelect: () => void copy(rule) },
              ...(rule.hits > 0
                ? [{ label: 'Show hits', href: `/blocking?tab=hits&rule=${encodeURIComponent(rule.id)}` }]
                : []),
              ...(can('reloadSettings') ? [{ label: 'Reload settings…', href: '/settings' }] : []),
            ]}
            isStale={query.isPlaceholderData}
            failure={query.error}
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
      )}
    </div>
  );
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
