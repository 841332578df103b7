import { useQuery } from '../../../api/use-query.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { useHeldTable } from '../../../ui/table/list-table.js';
import { forwardPage } from '../../../ui/table/list-view.js';
import { hostHref } from '../../previews/host-href.js';
import { tryHref } from '../../try/try-href.js';
import { hitsQuery } from '../blocking-query.js';
import { HIT_COLUMNS } from './hit-columns.js';
import { HitFilters } from './hit-filters.js';
import { filterOf, useHitsView } from './hits-view.js';
import styles from '../blocking.module.css';

/** What was refused, newest first. */
export function HitsTab() {
  const view = useHitsView();
  const variables = { ...forwardPage(view), filter: filterOf(view) };
  const query = useQuery(hitsQuery, variables, { live: 'list' });
  const { table } = useHeldTable(({ blockHits }) => blockHits, { query, view, hasBack: false });
  return (
    <div className={styles.tab}>
      <HitFilters view={view} />
      <Panel flush>
        <DataTable
          {...table}
          caption="Refused addresses"
          columns={HIT_COLUMNS}
          actions={({ id, url }) => [
            { label: 'Check this URL', href: `/blocking?tab=check&url=${encodeURIComponent(url)}` },
            ...(URL.canParse(url)
              ? [{ label: 'Previews of its host', href: hostHref(new URL(url).hostname) }]
              : []),
            { label: 'Try a preview', needs: 'tryPreview', href: tryHref(url, id) },
          ]}
          empty={<NoHits isFiltered={view.isFiltered} />}
        />
      </Panel>
    </div>
  );
}

function NoHits({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No refusal matches">Take a filter away to see the others.</EmptyState>
  ) : (
    <EmptyState title="Nothing was refused">
      Hits appear when somebody asks for a preview of an address that a rule forbids.
    </EmptyState>
  );
}
