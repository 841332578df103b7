import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { QueryView } from '../../ui/state/query-view.js';
import { Panel } from '../../ui/page/panel.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { JobCard } from './job-card.js';
import { JobDrawer } from './job-drawer.js';
import { OnDemandRow } from './on-demand-row.js';
import { jobsQuery, type JobData } from './jobs-query.js';
import { PauseDialog } from './pause-dialog.js';
import { RunDrawer } from './run-drawer.js';
import styles from './jobs.module.css';

const SHAPE = { job: text(), run: text() };

/** All jobs: what each does, when it runs, and what its last run did. */
export function Page() {
  const [isRunning, setRunning] = useState(false);
  const [pausing, setPausing] = useState<JobData | null>(null);
  const [{ job, run }, change] = useSearchParams(SHAPE);
  const query = useQuery(jobsQuery, {}, { live: isRunning ? 'run' : 'view' });
  const runs = query.data?.jobs.some(({ state }) => state === 'RUNNING') ?? false;
  if (runs !== isRunning) setRunning(runs);
  return (
    <>
      <PageHeader title="Jobs" description="Scheduled and background work." />
      <QueryView query={query}>
        {({ jobs }) => (
          <div className={styles.list}>
            {jobs.filter(isByClock).map((job) => (
              <JobCard key={job.id} job={job} onPause={setPausing} />
            ))}
            <Panel title="On demand" note="started from the lists they work on" flush>
              {jobs
                .filter((job) => !isByClock(job))
                .map((job) => (
                  <OnDemandRow key={job.id} job={job} />
                ))}
            </Panel>
          </div>
        )}
      </QueryView>
      <PauseDialog job={pausing} onClose={() => setPausing(null)} />
      <JobDrawer name={run === '' ? job : ''} onClose={() => change({ job: '' })} />
      <RunDrawer id={run} onClose={() => change({ run: '' })} />
    </>
  );
}

function isByClock({ everyMs }: JobData): boolean {
  return everyMs !== null;
}
