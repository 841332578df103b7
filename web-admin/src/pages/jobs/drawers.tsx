import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { choiceField } from '../../ui/filter/fields.js';
import { Chips } from '../../ui/filter/filter-bar.js';
import { DetailDrawer } from '../../ui/detail-drawer.js';
import { Fields, Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateOf } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { spanWords } from '../../ui/text/time-words.js';
import { runHref } from '../hrefs.js';
import { JobActions, useCancelRun } from './job-actions.js';
import { Cause, countWords, JOB_STATES, LastRun, Outcome, RunProgress, runTime } from './job-words.js';
import { jobQuery, jobRunQuery, type JobData, type RunData } from './jobs-query.js';

const FIELDS = {
  outcome: choiceField('Outcome', ['RUNNING', 'OK', 'FAILED', 'SKIPPED', 'CANCELLED'], {
    OK: 'Ok',
    FAILED: 'Failed',
    CANCELLED: 'Cancelled',
  }),
};
const SORTS = ['STARTED'] as const;

const COLUMNS: readonly Column<RunData>[] = [
  {
    title: 'Outcome',
    isMain: true,
    width: 110,
    cell: ({ id, startedAt, outcome }) => (
      <Link href={runHref(id)} aria-label={`Run of ${startedAt}: ${outcome.toLowerCase()}`}>
        <Outcome outcome={outcome} />
      </Link>
    ),
  },
  { title: 'Started', width: 120, cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { title: 'Started by', cell: (run) => <Cause run={run} /> },
  { title: 'Took', width: 90, isNumber: true, cell: runTime },
  {
    title: 'Result',
    cell: (run) => (run.message === null ? countWords(run) : <UntrustedText text={run.message} max={160} />),
  },
];

/** One job with the history of its runs; closed while `name` is empty. */
export function JobDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <DetailDrawer title={name} opened={name !== ''} onClose={onClose}>
      <Job name={name} />
    </DetailDrawer>
  );
}

function Job({ name }: { name: string }) {
  const view = useListView(FIELDS, SORTS, '-STARTED');
  const { outcome } = view.filter;
  const query = useQuery(jobQuery, { name, ...view.forward, outcome }, { live: 'view' });
  const { chips } = FIELDS.outcome.draw(outcome, (value) => view.setFilter({ outcome: value }));
  if (query.data?.job === null)
    return (
      <EmptyState title={`There is no job ${name}`}>
        <Link href="/jobs">See all jobs</Link>
      </EmptyState>
    );
  return (
    <Stack gap="sm">
      <QueryView query={query}>{({ job }) => job !== null && <JobPanel job={job} />}</QueryView>
      {chips !== undefined && <Chips group={chips} />}
      <List
        view={view}
        query={query}
        of={({ job }) => job?.runs}
        hasBack={false}
        caption={`Runs of ${name}`}
        columns={COLUMNS}
        empty={
          <EmptyState title="No changes yet">
            Runs with nothing to do are not listed, unless an operator started them.
          </EmptyState>
        }
      />
    </Stack>
  );
}

function JobPanel({ job }: { job: JobData }) {
  const { title, description, state, reason, everyMs, nextRunAt, lastRun, instance } = job;
  return (
    <Panel title={title} note={description}>
      <Stack gap="sm">
        {lastRun?.outcome === 'RUNNING' && <RunProgress run={lastRun} label="Progress of the run" />}
        <Fields
          items={[
            ['State', <StateOf key="" state={state} of={JOB_STATES} />],
            reason === null ? null : ['Reason', reason],
            ['Runs', everyMs === null ? 'on demand' : `every ${spanWords(everyMs)}`],
            everyMs === null ? null : ['Next', <RelativeTime key="" at={nextRunAt} none="not here" />],
            ['Last recorded run', <LastRun key="" run={lastRun} />],
            lastRun === null ? null : ['Result', countWords(lastRun)],
            instance === null ? null : ['Instance', instance],
          ]}
        />
        <Group gap="xs">
          <JobActions job={job} />
        </Group>
      </Stack>
    </Panel>
  );
}

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
    <QueryView query={query}>
      {() =>
        run ? (
          <Panel
            title={run.job.title}
            note={run.job.description}
            actions={
              run.outcome === 'RUNNING' &&
              can('cancelJobRun') && <Button onClick={() => void cancel(run.id)}>Cancel</Button>
            }
          >
            <RunProgress run={run} label={`Progress of ${run.job.title}`} />
            <RunFields run={run} />
          </Panel>
        ) : (
          <EmptyState title="Run not found">
            Runs are deleted after some weeks. <Link href="/jobs">See all jobs</Link>
          </EmptyState>
        )
      }
    </QueryView>
  );
}

function RunFields({ run }: { run: RunData }) {
  const { outcome, message, startedAt, finishedAt, instance } = run;
  return (
    <Fields
      items={[
        ['Outcome', <Outcome key="" outcome={outcome} />],
        message === null ? null : ['Why', <UntrustedText key="" text={message} max={500} />],
        ['Result', countWords(run)],
        ['Started by', <Cause key="" run={run} />],
        ['Started', <RelativeTime key="" at={startedAt} />],
        ['Ended', <RelativeTime key="" at={finishedAt} none="not yet" />],
        ['Took', runTime(run)],
        instance === null ? null : ['Instance', instance],
      ]}
    />
  );
}
