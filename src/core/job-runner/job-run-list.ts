import type { Database } from '../store/db.js';
import { newestFirst } from '../store/lists/keyset-cursor.js';
import { filteredListing, type ListCondition } from '../store/lists/keyset-filter.js';
import { RecordList } from '../store/lists/record-list.js';
import { sql } from '../store/sql/sql.js';
import type { JobRun, RunOutcome } from './job-run.js';
import type { JobRunStore } from './job-run-store.js';

/** Which runs of one job; `outcome` null: all. */
export interface RunFilter {
  job: string;
  outcome: RunOutcome | null;
}

/** Runs of a job for operators, newest first. */
export type JobRunList = RecordList<RunFilter, number, JobRun>;

export function createJobRunList(database: Database, store: JobRunStore): JobRunList {
  return new RecordList(database, {
    listing: (filter) => filteredListing(newestFirst('job_run'), conditionsOf(filter)),
    readKey: Number,
    find: (ids) => store.find(ids),
    keyOf: ({ id }) => id,
  });
}

function conditionsOf({ job, outcome }: RunFilter): ListCondition[] {
  const ofJob = { sql: sql`job = ${job}`, columns: ['job'], servedBy: ['id'] };
  if (outcome === null) return [ofJob];
  return [ofJob, { sql: sql`outcome = ${outcome}`, columns: ['outcome'], servedBy: [] }];
}
