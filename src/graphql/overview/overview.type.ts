import { withoutUsers } from '../../core/access/operators/privacy.js';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType } from 'type-graphql';

import type { RecentFailure as CoreFailure } from '../../core/operators/overview/recent-failure-store.js';
import { shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { FailureKind, HealthState, Metric } from './overview.enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { withDates } from '../common/dates.js';

@ObjectType({ description: 'One check of the health list' })
export class HealthCheck extends objectFields({
  key: field(String, { description: 'Its stable name, such as dns' }),
  title: field(String, { description: 'Its title' }),
  state: field(HealthState, { description: 'What was found' }),
  message: field(String, { description: 'What was found, in one sentence' }),
  advice: nullable(String, { description: 'What to do; null when nothing needs doing' }),
  href: nullable(String, { description: 'Path inside the web UI' }),
  provedAt: nullable(Date, { description: 'When it was last proved; null: never' }),
  how: field(String, { description: 'How it is proved, in a few words' }),
}) {}

@ObjectType()
export class Point extends objectFields({
  at: Date,
  value: Float,
}) {}

@ObjectType()
export class Series extends objectFields({
  metric: Metric,
  points: [Point],
  total: GraphQLSafeInt,
}) {}

@ObjectType()
export class RecentFailure extends objectFields({
  at: Date,
  kind: FailureKind,
  subject: String,
  message: String,
  href: field(String, { description: 'Path inside the web UI' }),
}) {}

/** A failure for those who ask. What is shown of an address cannot be tried again, but found in memory. */
export function toRecentFailure(row: CoreFailure, context: GraphqlContext): RecentFailure {
  const failure = { ...withDates(row), message: withoutUsers(row.message) };
  if (failure.kind !== 'preview') return failure;
  const subject = shownUrl(failure.subject, context);
  return subject === failure.subject
    ? failure
    : { ...failure, subject, href: '/previews?tab=memory&state=FAILED' };
}

/** The parts that cost something are fields of their resolver. */
@ObjectType()
export class Overview extends objectFields({
  version: String,
  commit: nullable(String),
  serverName: String,
  startedAt: Date,
  instance: String,
}) {}
