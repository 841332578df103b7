import { Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { PageHeader, Panel } from '../../ui/page.js';
import { QueryView, StateOf } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { spanWords } from '../../ui/text/time-words.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { JobActions } from './job-actions.js';
import { JobDrawer, RunDrawer } from './drawers.js';
import { countWords, JOB_STATES, LastRun, RunProgress } from './job-words.js';
import { jobsQuery, type JobData } from './jobs-query.js';

const SHAPE = { job: text(), run: text() };

const NAME: Column<JobData> = {
  title: 'Job',
  isMain: true,
  cell: ({ name, title, description, reason }) => (
    <>
      <Link href={`/jobs?job=${encodeURIComponent(name)}`}>{title}</Link>
      <Note>{description}</Note>
      {reason !== null && (
        <Note>
          <UntrustedText text={reason} max={300} />
        </Note>
      )}
    </>
  ),
};
const LAST: Column<JobData> = {
  title: 'Last recorded run',
  width: 190,
  cell: ({ lastRun, title }) => (
    <>
      <LastRun run={lastRun} />
      {lastRun?.outcome === 'RUNNING' ? (
        <RunProgress run={lastRun} label={`Progress of ${title}`} />
      ) : (
        lastRun !== null && <Note>{countWords(lastRun)}</Note>
      )}
    </>
  ),
};
const SCHEDULED: readonly Column<JobData>[] = [
  NAME,
  { title: 'State', width: 90, cell: ({ state }) => <StateOf state={state} of={JOB_STATES} /> },
  {
    title: 'Runs',
    width: 130,
    cell: ({ everyMs, nextRunAt }) => (
      <>
        {everyMs !== null && `every ${spanWords(everyMs)}`}
        <Note>
          <RelativeTime at={nextRunAt} none="not here" />
        </Note>
      </>
    ),
  },
  LAST,
  {
    title: 'Actions',
    width: 220,
    cell: (job) => (
      <Group gap={4}>
        <JobActions job={job} />
      </Group>
    ),
  },
];

/** All jobs: what each does, when it runs, and what its last run did. */
export function Page() {
  const [isRunning, setRunning] = useState(false);
  const [{ job, run }, change] = useSearchParams(SHAPE);
  const query = useQuery(jobsQuery, {}, { live: isRunning ? 'run' : 'view' });
  const runs = query.data?.jobs.some(({ state }) => state === 'RUNNING') ?? false;
  if (runs !== isRunning) setRunning(runs);
  return (
    <>
      <PageHeader title="Jobs" description="Scheduled and background work." />
      <QueryView query={query}>
        {({ jobs }) => (
          <Stack gap="sm">
            <Panel flush>
              <DataTable
                caption="Scheduled jobs"
                rows={jobs.filter(({ everyMs }) => everyMs !== null)}
                rowId={({ id }) => id}
                columns={SCHEDULED}
              />
            </Panel>
            <Panel title="On demand" note="start them from the list of previews or media" flush>
              <DataTable
                caption="Jobs on demand"
                rows={jobs.filter(({ everyMs }) => everyMs === null)}
                rowId={({ id }) => id}
                columns={[NAME, LAST]}
              />
            </Panel>
          </Stack>
        )}
      </QueryView>
      <JobDrawer name={run === '' ? job : ''} onClose={() => change({ job: '' })} />
      <RunDrawer id={run} onClose={() => change({ run: '' })} />
    </>
  );
}
