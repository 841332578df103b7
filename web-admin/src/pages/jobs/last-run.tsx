import { Link } from 'wouter';

import { RelativeTime } from '../../ui/text/relative-time.js';
import { OutcomeBadge } from './job-words.js';
import type { RunData } from './jobs-query.js';
import { runHref } from './use-run-job.js';

/** How and when a run went, with the way to its page. */
export function LastRun({ run }: { run: RunData }) {
  return (
    <>
      <Link href={runHref(run.id)}>
        <OutcomeBadge outcome={run.outcome} />
      </Link>{' '}
      <RelativeTime at={run.startedAt} />
    </>
  );
}
