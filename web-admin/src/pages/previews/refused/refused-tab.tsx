import { useQuery } from '../../../api/use-query.js';
import { Chart } from '../../../ui/chart/chart.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { DataTable } from '../../../ui/table/data-table.js';
import { timesOf } from '../../overview/overview-query.js';
import { previewRefusalsQuery, type RefusalData } from '../previews-query.js';
import styles from '../previews.module.css';
import { REFUSED_COLUMNS } from './refused-columns.js';

/** What this instance refused before the previewer had it, by reason, with the last day drawn. */
export function RefusedTab() {
  const query = useQuery(previewRefusalsQuery, {}, { live: 'view' });
  return <QueryView query={query}>{(data) => <Refused data={data} />}</QueryView>;
}

function Refused({ data: { previewRefusals, overview } }: { data: RefusalData }) {
  const [denied, unavailable] = overview.series;
  const drawn = denied === undefined || unavailable === undefined ? null : { denied, unavailable };
  return (
    <div className={styles.refused}>
      {drawn !== null && drawn.denied.total + drawn.unavailable.total > 0 && (
        <Panel title="Refused unread" note="last day, all instances">
          <Chart
            times={timesOf(drawn.denied)}
            lines={[
              { label: 'Denied (401, 403)', values: drawn.denied.values },
              { label: 'Unavailable (503)', values: drawn.unavailable.values },
            ]}
            label={`Denied: ${drawn.denied.total.toLocaleString('en')}, unavailable: ${drawn.unavailable.total.toLocaleString('en')}`}
          />
        </Panel>
      )}
      <Panel flush>
        <DataTable
          caption="Refused requests by reason"
          rows={previewRefusals}
          rowId={({ status, errcode, message }) => `${status} ${errcode} ${message}`}
          columns={REFUSED_COLUMNS}
          empty={
            <EmptyState title="Nothing was refused unread">
              Requests without a good access token, and those that come while nobody can be asked about it,
              are listed here by their reason.
            </EmptyState>
          }
        />
      </Panel>
      <p className={styles.hint}>
        By each instance since its start, of those that answered within two seconds. The log has each with its
        client.
      </p>
    </div>
  );
}
