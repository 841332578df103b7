import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, ObjectType } from 'type-graphql';

import type { RecentFailure as CoreFailure } from '../../core/operators/overview/recent-failure-store.js';
import { shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
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

/** A failure for those who ask. What is shown of an address cannot be tried again, but found in memory. */
export function toRecentFailure({ ts, ...rest }: CoreFailure, context: GraphqlContext): RecentFailure {
  const failure = { ...rest, at: new Date(ts) };
  if (failure.kind !== 'preview') return failure;
  const subject = shownUrl(failure.subject, context);
  return subject === failure.subject
    ? failure
    : { ...failure, subject, href: '/previews?tab=memory&state=FAILED' };
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
