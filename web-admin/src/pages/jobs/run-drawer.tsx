import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { Fields } from '../../ui/page/fields.js';
import { DetailDrawer } from '../../ui/page/detail-drawer.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { Cause, Counts, OutcomeBadge, RunProgress, runTime } from './job-words.js';
import { jobRunQuery, type RunData } from './jobs-query.js';
import { useCancelRun } from './use-run-job.js';
import styles from './jobs.module.css';

/** One run of a job, polled every second until it has ended; closed while `id` is empty. */
export function RunDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <DetailDrawer title="Run" opened={id !== ''} onClose={onClose}>
      <Run id={id} />
    </DetailDrawer>
  );
}

function Run({ id }: { id: string }) {
  const [isRunning, setRunning] = useState(true);
  const query = useQuery(jobRunQuery, { id }, { live: isRunning ? 'run' : 'never' });
  const can = useCan();
  const cancel = useCancelRun();
  const run = query.data?.jobRun;
  if (run && (run.outcome === 'RUNNING') !== isRunning) setRunning(run.outcome === 'RUNNING');
  return (
    <Stack>
      {run?.outcome === 'RUNNING' && can('cancelJobRun') && (
        <Group>
          <Button onClick={() => void cancel(run.id)}>Cancel</Button>
        </Group>
      )}
      <QueryView query={query}>{() => (run ? <RunPanel run={run} /> : <Gone />)}</QueryView>
    </Stack>
  );
}

function RunPanel({ run }: { run: RunData & { job: { title: string; description: string } } }) {
  const { title, description } = run.job;
  return (
    <Panel title={title} note={description}>
      <div className={styles.runBody}>
        <RunProgress run={run} label={`Progress of ${title}`} />
        <Fields
          items={[
            ['Outcome', <OutcomeBadge key="outcome" outcome={run.outcome} />],
            run.message === null
              ? null
              : ['Why', <UntrustedText key="message" text={run.message} max={500} />],
            ['Result', <Counts key="counts" run={run} />],
            ['Started by', <Cause key="cause" run={run} />],
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
    <EmptyState title="This run is no longer kept">
      Runs are deleted after some weeks. <Link href="/jobs">See all jobs</Link>
    </EmptyState>
  );
}
