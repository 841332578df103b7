import { useEffect, useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useRefreshViews } from '../../api/use-refresh-views.js';
import { useAnnounce } from '../../live/announcer.js';
import { Panel } from '../../ui/page.js';
import { Note, UntrustedText } from '../../ui/text/text.js';
import { runHref } from '../hrefs.js';
import { Outcome, RunProgress } from '../jobs/job-words.js';
import { jobRunQuery } from '../jobs/jobs-query.js';

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
    announce(outcome === 'OK' ? 'The preview was refreshed' : 'The preview was not refreshed');
    void refreshViews();
  }, [outcome, announce, refreshViews]);
  if (run === null) return null;
  return (
    <Panel>
      <Outcome outcome={run.outcome} />{' '}
      {outcome === 'RUNNING' ? (
        <RunProgress run={run} label="Refresh" />
      ) : (
        <>
          {run.message === null ? 'Refreshed.' : <UntrustedText text={run.message} max={300} />}{' '}
          <Link href={runHref(id)}>Show the run</Link>
        </>
      )}
      <Note>
        Chat clients keep what they have shown, failures too, for the life of their page: users must reload.
      </Note>
    </Panel>
  );
}
