import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { Fields } from '../../ui/page/fields.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { Cause, Counts, OutcomeBadge, RunProgress, runTime } from '../jobs/job-words.js';
import { jobRunQuery, type RunData } from '../jobs/jobs-query.js';
import { useCancelRun } from '../jobs/use-run-job.js';
import styles from '../jobs/jobs.module.css';

/** One run of a job, followed every second until it is over. */
export function Page() {
  const { id } = useParams<{ id: string }>();
  const [isRunning, setRunning] = useState(true);
  const query = useQuery(jobRunQuery, { id }, { live: isRunning ? 'run' : 'never' });
  const can = useCan();
  const cancel = useCancelRun();
  const run = query.data?.jobRun;
  if (run && (run.outcome === 'RUNNING') !== isRunning) setRunning(run.outcome === 'RUNNING');
  return (
    <>
      <PageHeader
        title={run?.job.title ?? 'Run'}
        back={
          run
            ? { href: `/jobs/${encodeURIComponent(run.job.name)}`, label: run.job.title }
            : { href: '/jobs', label: 'Jobs' }
        }
        description={run?.job.description}
        actions={
          run?.outcome === 'RUNNING' && can('cancelJobRun') ? (
            <Button onClick={() => void cancel(run.id)}>Cancel</Button>
          ) : undefined
        }
      />
      <QueryView query={query}>
        {() => (run ? <RunPanel run={run} title={run.job.title} /> : <Gone />)}
      </QueryView>
    </>
  );
}

function RunPanel({ run, title }: { run: RunData; title: string }) {
  return (
    <Panel title="This run">
      <div className={styles.runBody}>
        <RunProgress run={run} label={`Progress of ${title}`} />
        <Fields
          items={[
            ['Outcome', <OutcomeBadge key="outcome" outcome={run.outcome} />],
            run.message === null
              ? null
              : ['Why', <UntrustedText key="message" text={run.message} max={500} />],
            ['What it did', <Counts key="counts" run={run} />],
            ['Begun', <Cause key="cause" run={run} />],
            ['Started', <RelativeTime key="started" at={run.startedAt} />],
            ['Ended', <RelativeTime key="ended" at={run.finishedAt} none="not yet" />],
            ['Took', runTime(run)],
            run.instance === null ? null : ['Instance', run.instance],
          ]}
        />
      </div>
    </Panel>
  );
}

function Gone() {
  return (
    <EmptyState title="This run is not kept any more">
      Runs are forgotten after some weeks. <Link href="/jobs">See all jobs</Link>
    </EmptyState>
  );
}
