import type { ReactNode } from 'react';

import { RelativeTime } from '../../ui/text/relative-time.js';
import { spanWords } from '../../ui/text/time-words.js';
import { Counts } from './job-words.js';
import type { JobData } from './jobs-query.js';
import { LastRun } from './last-run.js';
import styles from './jobs.module.css';

/** Interval, next and last run. */
export function JobFacts({ job }: { job: JobData }) {
  const { everyMs, instance, nextRunAt, lastRun } = job;
  return (
    <dl className={styles.facts}>
      <Fact name="Runs">{everyMs === null ? 'on demand' : `every ${spanWords(everyMs)}`}</Fact>
      {everyMs !== null && (
        <Fact name="Next">
          <RelativeTime at={nextRunAt} none="not here" />
        </Fact>
      )}
      <Fact name="Last recorded run">
        {lastRun === null ? 'none that did anything' : <LastRun run={lastRun} />}
      </Fact>
      {lastRun !== null && lastRun.outcome !== 'RUNNING' && (
        <Fact name="It did">
          <Counts run={lastRun} />
        </Fact>
      )}
      {instance !== null && <Fact name="Instance">{instance}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
