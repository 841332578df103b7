import { useState } from 'react';
import { Link, useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { Chips } from '../../ui/filter/chips.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { DataTable } from '../../ui/table/data-table.js';
import { useListView } from '../../ui/table/list-view.js';
import { oneOf } from '../../url/search-params.js';
import { JobActions, JobFacts } from '../jobs/job-card.js';
import { JobStateBadge, RunProgress } from '../jobs/job-words.js';
import { jobQuery } from '../jobs/jobs-query.js';
import type { JobData } from '../jobs/jobs-query.js';
import { PauseDialog } from '../jobs/pause-dialog.js';
import { RUN_COLUMNS } from './run-columns.js';
import styles from '../jobs/jobs.module.css';

const SHAPE = { outcome: oneOf(['RUNNING', 'OK', 'FAILED', 'SKIPPED', 'CANCELLED']) };
const SORTS = ['STARTED'] as const;
const INITIAL = { field: 'STARTED', direction: 'DESC' } as const;
const OUTCOMES = [
  { value: 'OK', label: 'Ok' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'CANCELLED', label: 'Cancelled' },
];

/** One job with the history of its runs. */
export function Page() {
  const { name } = useParams<{ name: string }>();
  const view = useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
  const { outcome } = view.filter;
  const variables = { name, first: view.page.first ?? view.size, after: view.page.after, outcome };
  const query = useQuery(jobQuery, variables, { live: 'view' });
  const [pausing, setPausing] = useState<JobData | null>(null);
  const job = query.data?.job;
  return (
    <>
      <PageHeader
        title={job?.title ?? name}
        back={{ href: '/jobs', label: 'Jobs' }}
        description={job?.description}
        actions={job ? <JobActions job={job} onPause={setPausing} /> : undefined}
      />
      <QueryView query={query}>{() => (job ? <Standing job={job} /> : <Unknown name={name} />)}</QueryView>
      {job && (
        <>
          <div className={styles.filters}>
            <Chips
              group={{
                label: 'Outcome',
                value: outcome,
                options: OUTCOMES,
                onChange: (value) => view.setFilter({ outcome: SHAPE.outcome.parse(value) }),
              }}
            />
          </div>
          <Panel flush>
            <DataTable
              caption={`Runs of ${job.title}`}
              rows={job.runs.nodes}
              rowId={({ id }) => id}
              columns={RUN_COLUMNS}
              isStale={query.isPlaceholderData}
              failure={query.error}
              onRetry={() => void query.refetch()}
              empty={
                <EmptyState title="No run has left a trace">
                  Runs that find nothing to do leave none; those an operator starts always do.
                </EmptyState>
              }
              pager={{
                view,
                pageInfo: job.runs.pageInfo,
                total: job.runs.totalCount,
                count: job.runs.nodes.length,
                hasBack: false,
              }}
            />
          </Panel>
        </>
      )}
      <PauseDialog job={pausing} onClose={() => setPausing(null)} />
    </>
  );
}

function Standing({ job }: { job: JobData }) {
  return (
    <Panel>
      <div className={styles.runBody}>
        <div className={styles.title}>
          <JobStateBadge state={job.state} />
          {job.reason !== null && <span className={styles.reason}>{job.reason}</span>}
        </div>
        {job.lastRun?.outcome === 'RUNNING' && <RunProgress run={job.lastRun} label="Progress of the run" />}
        <JobFacts job={job} />
      </div>
    </Panel>
  );
}

function Unknown({ name }: { name: string }) {
  return (
    <EmptyState title={`There is no job ${name}`}>
      <Link href="/jobs">See all jobs</Link>
    </EmptyState>
  );
}
