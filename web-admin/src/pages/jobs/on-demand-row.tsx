import { Link } from 'wouter';

import { Counts, RunProgress } from './job-words.js';
import type { JobData } from './jobs-query.js';
import { LastRun } from './last-run.js';
import styles from './jobs.module.css';

/** A job that only ever works on a selection: what it does and what it did last. */
export function OnDemandRow({ job }: { job: JobData }) {
  const { lastRun } = job;
  return (
    <article className={styles.demand} aria-label={job.title}>
      <div>
        <h3 className={styles.demandTitle}>
          <Link href={`/jobs?job=${encodeURIComponent(job.name)}`}>{job.title}</Link>
        </h3>
        <p className={styles.description}>{job.description}</p>
      </div>
      <div className={styles.demandLast}>
        {lastRun === null ? (
          <span className={styles.nothing}>not used yet</span>
        ) : (
          <>
            <span>
              <LastRun run={lastRun} />
            </span>
            {lastRun.outcome === 'RUNNING' ? (
              <RunProgress run={lastRun} label={`Progress of ${job.title}`} />
            ) : (
              <Counts run={lastRun} />
            )}
          </>
        )}
      </div>
    </article>
  );
}
