import { useQuery } from '../../api/use-query.js';
import type { HitFilter } from '../../gql/graphql.js';
import { useHeldList } from '../../live/use-held-list.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { SINCE, SinceSelect, sinceInstant } from '../../ui/filter/since-select.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useListView } from '../../ui/table/list-view.js';
import type { ListView } from '../../ui/table/list-view.js';
import { oneOf, text } from '../../url/search-params.js';
import { hitsQuery } from './blocking-query.js';
import { HIT_COLUMNS, STAGES } from './hit-columns.js';
import styles from './blocking.module.css';

const SHAPE = {
  q: text(),
  stage: oneOf(['TARGET', 'REDIRECT', 'OEMBED', 'IMAGE']),
  by: oneOf(['URL_PATTERN', 'IP_DENY']),
  since: oneOf(SINCE),
  rule: text(),
};
const SORTS = ['AT'] as const;
const INITIAL = { field: 'AT', direction: 'DESC' } as const;

type HitsView = ListView<'AT', typeof SHAPE>;

function filterOf({ filter }: HitsView): HitFilter {
  const { q, stage, by, since, rule } = filter;
  return {
    search: q === '' ? null : q,
    stage,
    kind: by,
    ruleId: rule === '' ? null : rule,
    after: sinceInstant(since),
  };
}

/** What was refused, newest first. */
export function HitsTab() {
  const view = useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
  const variables = { first: view.page.first ?? view.size, after: view.page.after, filter: filterOf(view) };
  const query = useQuery(hitsQuery, variables, { live: 'list' });
  const held = useHeldList(query.data?.blockHits, {
    key: view.key,
    idsOf: ({ nodes }) => nodes.map(({ id }) => id),
    isPlaceholder: query.isPlaceholderData,
  });
  const hits = held.shown;
  return (
    <div className={styles.tab}>
      <HitFilters view={view} />
      <Panel flush>
        <DataTable
          caption="Refused addresses"
          rows={hits?.nodes}
          rowId={({ id }) => id}
          columns={HIT_COLUMNS}
          actions={({ url }) => [
            { label: 'Check this URL', href: `/blocking?tab=check&url=${encodeURIComponent(url)}` },
            { label: 'Try a preview', needs: 'tryPreview', href: `/try?url=${encodeURIComponent(url)}` },
          ]}
          isStale={query.isPlaceholderData}
          failure={query.error}
          onRetry={() => void query.refetch()}
          newer={{ count: held.newer, onShow: held.show }}
          empty={
            <EmptyState title="Nothing was refused">
              Hits appear when somebody asks for a preview of an address that a rule forbids.
            </EmptyState>
          }
          {...(hits === undefined
            ? {}
            : {
                pager: {
                  view,
                  pageInfo: hits.pageInfo,
                  total: hits.totalCount,
                  count: hits.nodes.length,
                  hasBack: false,
                },
              })}
        />
      </Panel>
    </div>
  );
}

function HitFilters({ view }: { view: HitsView }) {
  const { filter, setFilter } = view;
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of the URL, or stage:redirect"
      groups={[
        {
          label: 'Stage',
          value: filter.stage,
          options: Object.entries(STAGES).map(([value, label]) => ({ value, label })),
          onChange: (value) => setFilter({ stage: SHAPE.stage.parse(value) }),
        },
        {
          label: 'Refused by',
          value: filter.by,
          options: [
            { value: 'URL_PATTERN', label: 'URL rule' },
            { value: 'IP_DENY', label: 'Address range' },
          ],
          onChange: (value) => setFilter({ by: SHAPE.by.parse(value) }),
        },
      ]}
      qualifiers={{ stage: (value) => setFilter({ stage: SHAPE.stage.parse(value.toUpperCase()) }) }}
      pills={filter.rule === '' ? [] : [{ label: 'one rule', onRemove: () => setFilter({ rule: '' }) }]}
    >
      <SinceSelect value={filter.since} onChange={(since) => setFilter({ since })} />
    </FilterBar>
  );
}
