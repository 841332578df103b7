import { Button } from '@mantine/core';
import { Link } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import { Panel } from '../../ui/page/panel.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { JobFacts } from './job-facts.js';
import { JobStateBadge, RunProgress } from './job-words.js';
import type { JobData } from './jobs-query.js';
import { useSetPaused } from './pause-dialog.js';
import { useCancelRun, useRunJob } from './use-run-job.js';
import styles from './jobs.module.css';

/** One job: what it does, how it stands, and what may be done with it. */
export function JobCard({ job, onPause }: { job: JobData; onPause: (job: JobData) => void }) {
  return (
    <Panel flush>
      <article className={styles.job} aria-label={job.title}>
        <div>
          <h2 className={styles.title}>
            <Link href={`/jobs?job=${encodeURIComponent(job.name)}`}>{job.title}</Link>
            <JobStateBadge state={job.state} />
          </h2>
          <p className={styles.description}>{job.description}</p>
          {job.reason !== null && (
            <p className={styles.reason}>
              <UntrustedText text={job.reason} max={300} />
            </p>
          )}
        </div>
        <JobActions job={job} onPause={onPause} />
        {job.lastRun?.outcome === 'RUNNING' && (
          <RunProgress run={job.lastRun} label={`Progress of ${job.title}`} />
        )}
        <JobFacts job={job} />
      </article>
    </Panel>
  );
}

/** Buttons of a job, as far as the viewer may use them. */
export function JobActions({ job, onPause }: { job: JobData; onPause: (job: JobData) => void }) {
  const can = useCan();
  const runJob = useRunJob();
  const cancel = useCancelRun();
  const setPaused = useSetPaused();
  const { lastRun } = job;
  return (
    <div className={styles.actions}>
      {lastRun?.outcome === 'RUNNING' && can('cancelJobRun') && (
        <Button onClick={() => void cancel(lastRun.id)}>Cancel</Button>
      )}
      {job.everyMs !== null &&
        can('setJobPaused') &&
        (job.state === 'PAUSED' ? (
          <Button onClick={() => void setPaused(job, false, '')}>Resume</Button>
        ) : (
          <Button onClick={() => onPause(job)}>Pause…</Button>
        ))}
      {job.canRunNow && can('runJob') && (
        <Button disabled={job.state === 'RUNNING'} onClick={() => void runJob(job.name, job.title)}>
          Run now
        </Button>
      )}
    </div>
  );
}
