import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, ObjectType } from 'type-graphql';

import { RunOutcome } from '../common/enums.js';
import { Node } from '../common/node.type.js';

@ObjectType()
export class NamedCount {
  @Field(() => String)
  name!: string;

  @Field(() => GraphQLSafeInt)
  value!: number;
}

@ObjectType({ implements: Node })
export class JobRun extends Node {
  /** Name of its job, which the field `job` is found by. */
  jobName!: string;

  @Field(() => String)
  cause!: string;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => Date, { nullable: true })
  finishedAt!: Date | null;

  @Field(() => RunOutcome)
  outcome!: RunOutcome;

  @Field(() => Float, { nullable: true, description: '0 to 1; null when not known' })
  progress!: number | null;

  @Field(() => [NamedCount])
  counts!: NamedCount[];

  @Field(() => String, { nullable: true })
  message!: string | null;
}
