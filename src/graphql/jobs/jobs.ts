import { GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, Float, ID, ObjectType, Query, Resolver } from 'type-graphql';

import type { JobStatus } from '../../core/job-runner/job-registry.js';
import type { JobRun as CoreJobRun } from '../../core/job-runner/job-run.js';
import { connectionOf, connectionTo, forwardArgs } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { RunOutcome, wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields, nodeFields, rowOfNodeId, toNodeId } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import {
  argsFields,
  payloadFields,
  payloadOf,
  userError,
  refusal,
  expectedFailure,
  Detail,
  OperatorMutation,
  AdminMutation,
  NullableQuery,
} from '../common/operations.js';
import { lookupBy, type GraphqlContext, viewerOf } from '../context.js';

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
  counts: field([NamedCount], 'Numbers by name, such as deleted previews'),
  message: nullable(String, 'Why it failed, was skipped or cancelled; null otherwise'),
}) {
  /** Name of its job. */
  jobName!: string;
}

const JobRunConnection = connectionOf('JobRun', () => JobRun);

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

type ShownJob = Pick<JobStatus['definition'], 'name' | 'title' | 'description' | 'everyMs' | 'start'>;

function toJob({
  definition: { start, ...shown },
  nextRunTs,
  lastRun,
  ...status
}: Omit<JobStatus, 'definition'> & { definition: ShownJob }): Job {
  return {
    ...shown,
    ...status,
    id: toNodeId('Job', shown.name),
    canRunNow: start !== null,
    nextRunAt: toDate(nextRunTs),
    lastRun: lastRun === null ? null : toJobRun(lastRun),
  };
}

/** Stands in for a job that rows name and this version does not have. */
function unknownJob(name: string): Job {
  const description = 'A job of another version.';
  const definition = { name, title: name, description, everyMs: null, start: null };
  return toJob({ definition, state: 'idle', reason: null, instance: null, nextRunTs: null, lastRun: null });
}

@ObjectType({ description: 'A job or its run after a change' })
export class JobPayload extends payloadFields({
  job: nullable(Job, 'The paused or resumed job'),
  run: nullable(JobRun, 'The started, running or cancelled run'),
}) {}

const jobByName = lookupBy(
  (names: readonly string[], { services }: GraphqlContext) => services.jobs.registry.list(names),
  ({ definition }) => definition.name,
  toJob,
);

class RunsArgs extends forwardArgs({
  outcome: nullable(RunOutcome, 'Only runs in this state'),
}) {}

class SetJobPausedArgs extends argsFields({
  name: field(String, 'Name of the job'),
  paused: field(Boolean, 'True pauses it, false resumes it'),
  reason: nullable(String, 'Why, for other operators'),
}) {}

const MAX_REASON_LENGTH = 500;

@Resolver(() => Job)
export class JobResolver {
  @Query(() => [Job], { description: 'All jobs' })
  async jobs(@Ctx() { services }: GraphqlContext): Promise<Job[]> {
    return (await services.jobs.registry.list()).map(toJob);
  }

  @NullableQuery({ name: field(String, 'Name of the job') }, Job, 'One job; null without one of this name')
  job({ name }: { name: string }, { loaders }: GraphqlContext) {
    return loaders.of(jobByName).load(name);
  }

  @NullableQuery({ id: field(ID, 'ID of the run') }, JobRun, 'One run; null if it is not kept any more')
  async jobRun({ id }: { id: string }, { services: { jobs } }: GraphqlContext) {
    const row = rowOfNodeId('JobRun', id);
    if (row === null) throw badUserInput('id is not the ID of a job run');
    await jobs.jobStore.closeDead();
    const [run] = await jobs.jobStore.findRuns([row]);
    return run === undefined ? null : toJobRun(run);
  }

  @Detail(JobRunConnection, 'Runs, newest first', { given: RunsArgs })
  runs({ name: job }: Job, context: GraphqlContext, args: RunsArgs) {
    const wanted = { job, outcome: args.outcome ?? null };
    return connectionTo({ list: context.services.jobs.jobStore.runs, wanted, args }, context, toJobRun);
  }

  @OperatorMutation({ name: field(String, 'Name of the job') }, JobPayload, 'Starts a job now')
  async runJob({ name }: { name: string }, context: GraphqlContext) {
    const { registry } = context.services.jobs;
    context.audit.about({ targetType: 'Job', targetId: name, summary: `Run the job ${name}` });
    try {
      const { run } = await registry.runNow(name, viewerOf(context).name);
      context.audit.about({ detail: { run: run.id } });
      return { ...payloadOf(), run: toJobRun(run) };
    } catch (error) {
      const expected = expectedFailure(error);
      const [status] = expected.code === 'ALREADY_RUNNING' ? await registry.list([name]) : [];
      const run = status?.lastRun?.outcome === 'running' ? toJobRun(status.lastRun) : null;
      return { ...payloadOf([expected]), run };
    }
  }

  @OperatorMutation({ id: field(ID, 'ID of the run') }, JobPayload, 'Cancels a run after its current batch')
  async cancelJobRun({ id: nodeId }: { id: string }, context: GraphqlContext) {
    const { runner, jobStore } = context.services.jobs;
    context.audit.about({ targetType: 'JobRun', targetId: nodeId, summary: 'Cancel a job run' });
    const id = rowOfNodeId('JobRun', nodeId);
    const isEnding = id !== null && (await runner.cancel(id));
    const [run] = id === null ? [] : await jobStore.findRuns([id]);
    if (run === undefined) throw refusal('NOT_FOUND', 'There is no such run', 'id');
    context.audit.about({ summary: `Cancel run ${run.id} of the job ${run.job}` });
    const errors = isEnding ? [] : [userError('CONFLICT', 'The run has already ended', 'id')];
    return { ...payloadOf(errors), run: toJobRun(run) };
  }

  @AdminMutation(SetJobPausedArgs, JobPayload, 'Pauses or resumes a job on all instances')
  async setJobPaused(args: SetJobPausedArgs, context: GraphqlContext) {
    const { name, paused } = args;
    const { registry } = context.services.jobs;
    const reason = (args.reason ?? '').trim();
    const summary = `${paused ? 'Pause' : 'Resume'} the job ${name}`;
    const detail = reason === '' ? {} : { detail: { reason: reason.slice(0, MAX_REASON_LENGTH) } };
    context.audit.about({ targetType: 'Job', targetId: name, summary, ...detail });
    if (reason.length > MAX_REASON_LENGTH)
      throw refusal('INVALID', `The reason is longer than ${MAX_REASON_LENGTH} characters`, 'reason');
    await registry.setPaused(name, { paused, actor: viewerOf(context).name, reason });
    const [status] = await registry.list([name]);
    return { ...payloadOf(), job: status === undefined ? null : toJob(status) };
  }
}

@Resolver(() => JobRun)
export class JobRunResolver {
  @Detail(Job, 'The job')
  async job({ jobName }: JobRun, { loaders }: GraphqlContext): Promise<Job> {
    return (await loaders.of(jobByName).load(jobName)) ?? unknownJob(jobName);
  }
}
