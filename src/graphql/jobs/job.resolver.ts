import { Arg, Args, ArgsType, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';

import { connectionTo, type Connection } from '../common/connection.js';
import { RunOutcome } from '../common/enums.js';
import { nullable } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { forwardArgs, pageRequest } from '../common/page-args.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { rowOfNodeId } from '../nodes/node-id.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { Job, JobRun, JobRunConnection, toJob, toJobRun, unknownJob } from './job.type.js';

const jobByName: BatchLookup<string, Job> = async (names, { services }) => {
  const statuses = await services.jobs.registry.list(names);
  const jobs = new Map(statuses.map((status) => [status.definition.name, toJob(status)]));
  return names.map((name) => jobs.get(name) ?? null);
};

const jobRunByKey = loadRows(async (ids, { services: { jobs } }) => {
  await jobs.runner.closeDead();
  return jobs.runs.find(ids);
}, toJobRun);

export const JOB_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'Job', requires: 'viewer', load: jobByName },
  { typeName: 'JobRun', requires: 'viewer', load: jobRunByKey },
];

@ArgsType()
class RunsArgs extends forwardArgs({
  outcome: nullable(RunOutcome, 'Only runs in this state'),
}) {}

@Resolver(() => Job)
export class JobResolver {
  @Query(() => [Job], { description: 'All jobs' })
  async jobs(@Ctx() { services }: GraphqlContext): Promise<Job[]> {
    return (await services.jobs.registry.list()).map(toJob);
  }

  @Query(() => Job, { nullable: true, description: 'One job; null without one of this name' })
  job(
    @Arg('name', () => String, { description: 'Name of the job' }) name: string,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<Job | null> {
    return loaders.of(jobByName).load(name);
  }

  @Query(() => JobRun, { nullable: true, description: 'One run; null if it is not kept any more' })
  jobRun(
    @Arg('id', () => ID, { description: 'ID of the run' }) id: string,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<JobRun | null> {
    const row = rowOfNodeId('JobRun', id);
    if (row === null) throw badUserInput('id is not the ID of a job run');
    return loaders.of(jobRunByKey).load(String(row));
  }

  @FieldResolver(() => JobRunConnection, { description: 'Runs, newest first' })
  async runs(
    @Root() { name }: Job,
    @Args(() => RunsArgs) { outcome, ...args }: RunsArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<JobRun>> {
    const { services, signal } = context;
    const asked = { wanted: { job: name, outcome: outcome ?? null }, request: pageRequest(args), signal };
    return connectionTo(services.jobs.runList, asked, toJobRun);
  }
}

@Resolver(() => JobRun)
export class JobRunResolver {
  @FieldResolver(() => Job, { description: 'The job' })
  async job(@Root() { jobName }: JobRun, @Ctx() { loaders }: GraphqlContext): Promise<Job> {
    return (await loaders.of(jobByName).load(jobName)) ?? unknownJob(jobName);
  }
}
