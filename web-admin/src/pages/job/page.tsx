import { useState } from 'react';
import { Link, useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { forwardPage } from '../../ui/table/list-view.js';
import { JobActions } from '../jobs/job-card.js';
import { JobFacts } from '../jobs/job-facts.js';
import { JobStateBadge, RunProgress } from '../jobs/job-words.js';
import { jobQuery, type JobData } from '../jobs/jobs-query.js';
import { PauseDialog } from '../jobs/pause-dialog.js';
import { Runs } from './runs.js';
import { useRunsView } from './runs-view.js';
import styles from '../jobs/jobs.module.css';

/** One job with the history of its runs. */
export function Page() {
  const { name } = useParams<{ name: string }>();
  const view = useRunsView();
  const variables = { name, ...forwardPage(view), outcome: view.filter.outcome };
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
      {job && <Runs job={job} view={view} query={query} />}
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
