import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';

import { toConnection, type Connection } from '../common/connection.js';
import { pageOfList } from '../common/first-pages.js';
import { rowOfNodeId } from '../nodes/node-id.js';
import { pageRequest } from '../common/page-args.js';
import type { GraphqlContext } from '../context.js';
import { JobRun, toJobRun } from './job-run.type.js';
import { RunsArgs } from './job.input.js';
import { firstRuns, jobByName, jobRunByKey } from './job.loaders.js';
import { Job, JobRunConnection, toJob, unknownJob } from './job.type.js';

const DEFAULT_RUNS = 20;

/** Jobs and their runs. */
@Resolver(() => Job)
export class JobResolver {
  @Query(() => [Job])
  async jobs(@Ctx() { services }: GraphqlContext): Promise<Job[]> {
    return (await services.jobs.registry.list()).map(toJob);
  }

  @Query(() => Job, { nullable: true })
  job(@Arg('name', () => String) name: string, @Ctx() { loaders }: GraphqlContext): Promise<Job | null> {
    return loaders.of(jobByName).load(name);
  }

  @Query(() => JobRun, { nullable: true })
  async jobRun(@Arg('id', () => ID) id: string, @Ctx() { loaders }: GraphqlContext): Promise<JobRun | null> {
    const row = rowOfNodeId('JobRun', id);
    return row === null ? null : loaders.of(jobRunByKey).load(String(row));
  }

  @FieldResolver(() => JobRunConnection)
  async runs(
    @Root() { name }: Job,
    @Args(() => RunsArgs) { first, after, outcome }: RunsArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<JobRun>> {
    const { runList } = context.services.jobs;
    const filter = { job: name, outcome: outcome ?? null };
    const request = pageRequest({ first: first ?? null, after: after ?? null }, DEFAULT_RUNS);
    const other = () => runList.page(filter, request);
    const page = await pageOfList(filter, request, { first: firstRuns, other, context });
    return toConnection(page, toJobRun, () => runList.count(filter));
  }
}

@Resolver(() => JobRun)
export class JobRunResolver {
  @FieldResolver(() => Job)
  async job(@Root() { jobName }: JobRun, @Ctx() { loaders }: GraphqlContext): Promise<Job> {
    return (await loaders.of(jobByName).load(jobName)) ?? unknownJob(jobName);
  }
}
