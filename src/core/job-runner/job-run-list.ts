import type { Database } from '../store/db.js';
import { newestFirst, writeCursor } from '../store/lists/keyset-cursor.js';
import { filteredListing } from '../store/lists/keyset-filter.js';
import type { ListCondition } from '../store/lists/keyset-filter.js';
import type { Page } from '../store/lists/keyset-page.js';
import { RecordList } from '../store/lists/record-list.js';
import { sql } from '../store/sql/sql.js';
import type { JobRun, RunOutcome } from './job-run.js';
import type { JobRunStore } from './job-run-store.js';

/** Which runs of one job; `outcome` null: all. */
export interface RunFilter {
  job: string;
  outcome: RunOutcome | null;
}

/** Runs of jobs for operators, newest first. */
export class JobRunList extends RecordList<RunFilter, number, JobRun> {
  constructor(
    database: Database,
    private readonly store: JobRunStore,
  ) {
    super(database, {
      listing: (filter) => filteredListing(NEWEST_FIRST, conditionsOf(filter)),
      readKey: Number,
      find: (ids) => store.find(ids),
      keyOf: ({ id }) => id,
    });
  }

  /** The first pages of several jobs with two statements; every job has one. */
  async firstPagesOf(
    jobs: readonly string[],
    { size, outcome }: { size: number; outcome: RunOutcome | null },
  ): Promise<Map<string, Page<JobRun>>> {
    const runs = await this.store.latest(jobs, size + 1, outcome);
    return new Map(
      jobs.map((job) => [
        job,
        firstPage(
          runs.filter((run) => run.job === job),
          size,
        ),
      ]),
    );
  }
}

const NEWEST_FIRST = newestFirst('job_run');

function conditionsOf({ job, outcome }: RunFilter): ListCondition[] {
  const ofJob = { sql: sql`job = ${job}`, columns: ['job'], servedBy: ['id'] };
  if (outcome === null) return [ofJob];
  return [ofJob, { sql: sql`outcome = ${outcome}`, columns: ['outcome'], servedBy: [] }];
}

function firstPage(runs: readonly JobRun[], size: number): Page<JobRun> {
  const rows = runs.slice(0, size).map((row) => {
    const id = BigInt(row.id);
    return { cursor: writeCursor(NEWEST_FIRST, { sort: id, key: id }), row };
  });
  return {
    rows,
    hasNextPage: runs.length > size,
    hasPreviousPage: false,
    startCursor: rows[0]?.cursor ?? null,
    endCursor: rows.at(-1)?.cursor ?? null,
  };
}
