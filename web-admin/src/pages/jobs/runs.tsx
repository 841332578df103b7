import type { UseQueryResult } from '@tanstack/react-query';

import type { RequestError } from '../../api/request-error.js';
import type { JobPageQuery } from '../../gql/graphql.js';
import { Chips } from '../../ui/filter/chips.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { DataTable } from '../../ui/table/data-table.js';
import { listTable } from '../../ui/table/list-table.js';
import { RUN_COLUMNS } from './run-columns.js';
import { SHAPE, type RunsView } from './runs-view.js';
import styles from './jobs.module.css';

const OUTCOMES = [
  { value: 'OK', label: 'Ok' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'CANCELLED', label: 'Cancelled' },
];

interface RunsProps {
  job: NonNullable<JobPageQuery['job']>;
  view: RunsView;
  /** What `job` came from. */
  query: UseQueryResult<JobPageQuery, RequestError>;
}

/** The history of a job's runs. */
export function Runs({ job, view, query }: RunsProps) {
  return (
    <>
      <div className={styles.filters}>
        <Chips
          group={{
            label: 'Outcome',
            value: view.filter.outcome,
            options: OUTCOMES,
            onChange: (value) => view.setFilter({ outcome: SHAPE.outcome.parse(value) }),
          }}
        />
      </div>
      <Panel flush>
        <DataTable
          {...listTable(job.runs, { query, view, hasBack: false })}
          caption={`Runs of ${job.title}`}
          columns={RUN_COLUMNS}
          empty={
            <EmptyState title="No changes yet">
              Runs with nothing to do are not listed, unless an operator started them.
            </EmptyState>
          }
        />
      </Panel>
    </>
  );
}
