import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType } from 'type-graphql';

import type { JobStatus } from '../../core/job-runner/job-registry.js';
import type { JobRun as CoreJobRun } from '../../core/job-runner/job-run.js';
import { connectionOf } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { RunOutcome, wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { nodeFields, toNodeId } from '../common/ids.js';

const JobState = wordsEnum('JobState', 'State of a job', {
  idle: 'Waiting for its next run',
  running: 'Running',
  paused: 'Paused by an operator',
  skipping: 'Not run here or now, for the stated reason',
});

@ObjectType({ description: 'A number with its name' })
class NamedCount extends objectFields({
  name: field(String, 'What was counted, such as previews or bytes'),
  value: field(GraphQLSafeInt, 'The number'),
}) {}

@ObjectType({ description: 'One run of a job' })
export class JobRun extends nodeFields({
  cause: field(String, '"job" if scheduled, "operator" if started by an operator'),
  actor: nullable(String, 'Operator who started it; null if scheduled'),
  instance: nullable(String, 'Instance that runs it'),
  startedAt: field(Date, 'Start time'),
  finishedAt: nullable(Date, 'End time; null while it runs'),
  outcome: field(RunOutcome, 'State'),
  progress: nullable(Float, 'From 0 to 1; null if unknown'),
  counts: field([NamedCount], 'What it did, in numbers'),
  message: nullable(String, 'Why it failed, was skipped or cancelled; null otherwise'),
}) {
  /** Name of its job. */
  jobName!: string;
}

export const JobRunConnection = connectionOf('JobRun', () => JobRun);

@ObjectType({ description: 'A scheduled or on-demand job' })
export class Job extends nodeFields({
  name: field(String, 'Name in commands and in the audit log'),
  title: field(String, 'Title'),
  description: field(String, 'What it does'),
  everyMs: nullable(GraphQLSafeInt, 'Interval in milliseconds; null for on-demand jobs'),
  state: field(JobState, 'State'),
  reason: nullable(String, 'Why it is skipped or paused'),
  instance: nullable(String, 'Instance that runs it; null if any does'),
  canRunNow: field(Boolean, 'Whether runJob can start it'),
  nextRunAt: nullable(Date, 'Next scheduled run; null without one'),
  lastRun: nullable(JobRun, 'Latest run; null without one'),
}) {}

/** A run as the API shows it; bytes freed on disk are one of its counts. */
export function toJobRun(run: CoreJobRun): JobRun {
  const counts = Object.entries(run.counts).map(([name, value]) => ({ name, value }));
  return {
    ...withDates(run),
    id: toNodeId('JobRun', run.id),
    jobName: run.job,
    instance: run.instance === '' ? null : run.instance,
    counts: run.bytes > 0 ? [...counts, { name: 'bytes', value: run.bytes }] : counts,
  };
}

/** A job as the API shows it. */
export function toJob({ definition, nextRunTs, lastRun, ...status }: JobStatus): Job {
  const { name, title, description, everyMs } = definition;
  return {
    ...status,
    name,
    title,
    description,
    everyMs,
    id: toNodeId('Job', name),
    canRunNow: definition.start !== null,
    nextRunAt: toDate(nextRunTs),
    lastRun: lastRun === null ? null : toJobRun(lastRun),
  };
}

/** Stands in for a job that rows name and this version does not have. */
export function unknownJob(name: string): Job {
  return {
    id: toNodeId('Job', name),
    name,
    title: name,
    description: 'A job of another version.',
    everyMs: null,
    state: 'idle',
    reason: null,
    instance: null,
    canRunNow: false,
    nextRunAt: null,
    lastRun: null,
  };
}
