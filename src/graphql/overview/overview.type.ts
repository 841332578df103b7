import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, ObjectType } from 'type-graphql';

import { FailureKind, HealthState, Metric } from './overview.enums.js';

@ObjectType({
  description:
    'One line of the health list: green when fine, otherwise says what is wrong and links to the page that fixes it',
})
export class HealthCheck {
  @Field(() => String)
  key!: string;

  @Field(() => String)
  title!: string;

  @Field(() => HealthState)
  state!: HealthState;

  @Field(() => String)
  message!: string;

  @Field(() => String, { nullable: true })
  advice!: string | null;

  @Field(() => String, { nullable: true, description: 'Path inside the web UI' })
  href!: string | null;

  @Field(() => Date)
  checkedAt!: Date;
}

@ObjectType()
export class Point {
  @Field(() => Date)
  at!: Date;

  @Field(() => Float)
  value!: number;
}

@ObjectType()
export class Series {
  @Field(() => Metric)
  metric!: Metric;

  @Field(() => [Point])
  points!: Point[];

  @Field(() => GraphQLSafeInt)
  total!: number;
}

@ObjectType()
export class Instance {
  @Field(() => String)
  name!: string;

  @Field(() => Boolean)
  runsMediaJobs!: boolean;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => Date)
  lastSeenAt!: Date;

  @Field(() => String)
  version!: string;
}

@ObjectType()
export class RecentFailure {
  @Field(() => Date)
  at!: Date;

  @Field(() => FailureKind)
  kind!: FailureKind;

  @Field(() => String)
  subject!: string;

  @Field(() => String)
  message!: string;

  @Field(() => String, { description: 'Path inside the web UI' })
  href!: string;
}

/** The parts that cost something are fields of their resolver. */
@ObjectType()
export class Overview {
  @Field(() => String)
  version!: string;

  @Field(() => String, { nullable: true })
  commit!: string | null;

  @Field(() => String)
  serverName!: string;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => String)
  instance!: string;
}
