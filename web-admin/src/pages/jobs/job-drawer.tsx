import { Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { DetailDrawer } from '../../ui/page/detail-drawer.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { forwardPage } from '../../ui/table/list-view.js';
import { JobActions } from './job-card.js';
import { JobFacts } from './job-facts.js';
import { JobStateBadge, RunProgress } from './job-words.js';
import { jobQuery, type JobData } from './jobs-query.js';
import { PauseDialog } from './pause-dialog.js';
import { Runs } from './runs.js';
import { useRunsView } from './runs-view.js';
import styles from './jobs.module.css';

/** One job with the history of its runs; closed while `name` is empty. */
export function JobDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <DetailDrawer title={name} opened={name !== ''} onClose={onClose}>
      <Job name={name} />
    </DetailDrawer>
  );
}

function Job({ name }: { name: string }) {
  const view = useRunsView();
  const variables = { name, ...forwardPage(view), outcome: view.filter.outcome };
  const query = useQuery(jobQuery, variables, { live: 'view' });
  const [pausing, setPausing] = useState<JobData | null>(null);
  const job = query.data?.job;
  return (
    <Stack>
      {job && <JobActions job={job} onPause={setPausing} />}
      <QueryView query={query}>{() => (job ? <Standing job={job} /> : <Unknown name={name} />)}</QueryView>
      {job && <Runs job={job} view={view} query={query} />}
      <PauseDialog job={pausing} onClose={() => setPausing(null)} />
    </Stack>
  );
}

function Standing({ job }: { job: JobData }) {
  return (
    <Panel title={job.title} note={job.description}>
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
