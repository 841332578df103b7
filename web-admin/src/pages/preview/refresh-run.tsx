import { useEffect, useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useRefreshViews } from '../../api/use-refresh-views.js';
import { useAnnounce } from '../../live/announcer.js';
import { Panel } from '../../ui/page/panel.js';
import { OutcomeBadge, RunProgress } from '../jobs/job-words.js';
import { jobRunQuery } from '../jobs/jobs-query.js';
import { runHref } from '../jobs/use-run-job.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import styles from './preview.module.css';

/** The run that makes this preview anew, followed until it is over; then the page is read again. */
export function RefreshRun({ id }: { id: string }) {
  const [isRunning, setRunning] = useState(true);
  const { data } = useQuery(jobRunQuery, { id }, { live: isRunning ? 'run' : 'never' });
  const run = data?.jobRun ?? null;
  if (isRunning && run !== null && run.outcome !== 'RUNNING') setRunning(false);
  const outcome = run?.outcome ?? 'RUNNING';
  const refreshViews = useRefreshViews();
  const announce = useAnnounce();
  useEffect(() => {
    if (outcome === 'RUNNING') return;
    announce(outcome === 'OK' ? 'The preview was made anew' : 'The preview was not made anew');
    void refreshViews();
  }, [outcome, announce, refreshViews]);
  if (run === null) return null;
  return (
    <div className={styles.run}>
      <Panel>
        <div className={styles.runLine}>
          <OutcomeBadge outcome={run.outcome} />
          {outcome === 'RUNNING' ? (
            <RunProgress run={run} label="Refresh" />
          ) : (
            <span>
              {run.message === null ? 'Made anew.' : <UntrustedText text={run.message} max={300} />}{' '}
              <Link href={runHref(id)}>Show the run</Link>
            </span>
          )}
        </div>
        <p className={styles.small}>
          Chat clients keep what they have shown, failures too, for the life of their page: users must reload.
        </p>
      </Panel>
    </div>
  );
}
