import { Arg, Args, ArgsType, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';

import { lookupBy } from '../common/batch-loader.js';
import { connectionTo, type Connection } from '../common/connection.js';
import { RunOutcome } from '../common/enums.js';
import { nullable } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { forwardArgs, pageRequest } from '../common/page-args.js';
import type { GraphqlContext } from '../context.js';
import { Job, JobRun, JobRunConnection, toJob, toJobRun, unknownJob } from './job.type.js';
import { rowOfNodeId } from '../common/ids.js';

const jobByName = lookupBy(
  (names: readonly string[], { services }: GraphqlContext) => services.jobs.registry.list(names),
  ({ definition }) => definition.name,
  toJob,
);

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
  async jobRun(
    @Arg('id', () => ID, { description: 'ID of the run' }) id: string,
    @Ctx() { services: { jobs } }: GraphqlContext,
  ): Promise<JobRun | null> {
    const row = rowOfNodeId('JobRun', id);
    if (row === null) throw badUserInput('id is not the ID of a job run');
    await jobs.runner.closeDead();
    const [run] = await jobs.runs.find([row]);
    return run === undefined ? null : toJobRun(run);
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
