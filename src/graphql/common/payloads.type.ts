import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';

import { JobRun } from '../jobs/job-run.type.js';
import { MutationPayload } from './mutation.js';

/** Payload of mutations that start a job's run or find one. */
@ObjectType()
export class RunPayload extends MutationPayload {
  @Field(() => JobRun, { nullable: true })
  run?: JobRun | null;
}

/** Payload of mutations that delete. */
@ObjectType()
export class DeletePayload extends MutationPayload {
  @Field(() => Int)
  matched!: number;

  @Field(() => [ID])
  deletedIds!: string[];

  @Field(() => GraphQLSafeInt)
  freedBytes!: number;

  @Field(() => JobRun, { nullable: true, description: 'Set when the work goes on in the background' })
  run?: JobRun | null;
}
