import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { QueryView } from '../../ui/state/query-view.js';
import { Panel } from '../../ui/page/panel.js';
import { JobCard } from './job-card.js';
import { OnDemandRow } from './on-demand-row.js';
import { jobsQuery, type JobData } from './jobs-query.js';
import { PauseDialog } from './pause-dialog.js';
import styles from './jobs.module.css';

/** All jobs: what each does, when it runs, and what its last run did. */
export function Page() {
  const [isRunning, setRunning] = useState(false);
  const [pausing, setPausing] = useState<JobData | null>(null);
  const query = useQuery(jobsQuery, {}, { live: isRunning ? 'run' : 'view' });
  const runs = query.data?.jobs.some(({ state }) => state === 'RUNNING') ?? false;
  if (runs !== isRunning) setRunning(runs);
  return (
    <>
      <PageHeader title="Jobs" description="Work that is done by the clock or goes on in the background." />
      <QueryView query={query}>
        {({ jobs }) => (
          <div className={styles.list}>
            {jobs.filter(isByClock).map((job) => (
              <JobCard key={job.id} job={job} onPause={setPausing} />
            ))}
            <Panel title="On demand" note="begun from the lists of what they work on" flush>
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
    </>
  );
}

function isByClock({ everyMs }: JobData): boolean {
  return everyMs !== null;
}
