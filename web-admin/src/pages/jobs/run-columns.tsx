import { Link } from 'wouter';

import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { Cause, Counts, OutcomeBadge, runTime } from './job-words.js';
import type { RunData } from './jobs-query.js';
import { runHref } from './use-run-job.js';
import styles from './jobs.module.css';

/** Columns of a job's history. */
export const RUN_COLUMNS: readonly Column<RunData>[] = [
  {
    id: 'outcome',
    title: 'Outcome',
    width: '110px',
    isMain: true,
    cell: (run) => (
      <Link href={runHref(run.id)} aria-label={`Run of ${run.startedAt}: ${run.outcome.toLowerCase()}`}>
        <OutcomeBadge outcome={run.outcome} />
      </Link>
    ),
  },
  {
    id: 'started',
    title: 'Started',
    width: '120px',
    cell: (run) => <RelativeTime at={run.startedAt} />,
  },
  { id: 'cause', title: 'Started by', width: '170px', cell: (run) => <Cause run={run} /> },
  { id: 'took', title: 'Took', width: '90px', align: 'end', cell: (run) => runTime(run) },
  {
    id: 'counts',
    title: 'Result',
    cell: (run) =>
      run.message === null ? (
        <Counts run={run} />
      ) : (
        <span className={run.outcome === 'FAILED' ? styles.message : undefined}>
          <UntrustedText text={run.message} max={160} />
        </span>
      ),
  },
  { id: 'instance', title: 'Instance', width: '120px', cell: (run) => run.instance ?? '—' },
];
