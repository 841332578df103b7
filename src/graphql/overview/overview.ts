import { GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, Float, Int, ObjectType, Query, Resolver } from 'type-graphql';

import { withoutUsers } from '../../core/access/operators/privacy.js';
import type { HealthState as CoreState } from '../../core/operators/health/health.js';
import { totalsOf } from '../../core/operators/overview/overview.js';
import {
  recentFailures,
  type RecentFailure as CoreFailure,
} from '../../core/operators/overview/recent-failure-store.js';
import {
  METRICS,
  type MetricName,
  type TimeRange as CoreRange,
} from '../../core/operators/overview/series/metric-store.js';
import { toDate, withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import {
  payloadFields,
  payloadOf,
  refusal,
  Detail,
  argsFields,
  OperatorMutation,
} from '../common/operations.js';
import { hidesOwners, shownUrl } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';

const HealthState = wordsEnum<CoreState>('HealthState', 'Result of a health check', {
  ok: 'Works',
  warning: 'Works with restrictions',
  failed: 'Does not work',
  not_yet_proved: 'Nothing has happened yet that proves it',
});

const Metric = wordsEnum<MetricName>('Metric', 'Numbers that are recorded over time', METRICS);

const TimeRange = wordsEnum<CoreRange>('TimeRange', 'Period before now', {
  hour: '60 minutes',
  day: '24 hours',
  week: '7 days',
  month: '30 days',
});

@ObjectType({ description: 'A health check' })
class HealthCheck extends objectFields({
  key: field(String, 'Stable name, such as dns'),
  title: field(String, 'Title'),
  state: field(HealthState, 'Result'),
  message: field(String, 'Result in one sentence'),
  advice: nullable(String, 'Advice; null if none is needed'),
  href: nullable(String, 'Page of the web UI with details'),
  provedAt: nullable(Date, 'When it was last proved; null: never'),
  how: field(String, 'How it is proved'),
}) {}

@ObjectType({ description: 'Totals: stored objects, and requests since the start of this instance' })
class Totals extends objectFields({
  servers: field(Int, 'Servers with known keys'),
  expiredServers: field(Int, 'Servers whose newest record has expired'),
  failingServers: field(Int, 'Servers whose last fetch failed'),
  previews: field(Int, 'Stored previews'),
  failedPreviews: field(Int, 'Failed previews in memory of this instance'),
  media: field(Int, 'Stored media, without thumbnails'),
  mediaBytes: field(GraphQLSafeInt, 'Bytes of media and thumbnails'),
  keyLookups: field(GraphQLSafeInt, 'Lookups of key records'),
  keyCacheHits: field(GraphQLSafeInt, 'Of these, answered from memory'),
  previewRequests: field(GraphQLSafeInt, 'Preview requests'),
  previewCacheHits: field(GraphQLSafeInt, 'Of these, answered from memory'),
}) {}

@ObjectType({ description: 'A number over time' })
class Series extends objectFields({
  metric: field(Metric, 'The metric'),
  startsAt: field(Date, 'Start of the first step'),
  stepMs: field(Int, 'Length of a step in milliseconds'),
  values: field([Float], 'One value for each step'),
  total: field(GraphQLSafeInt, 'Sum of a counter, or latest value of a gauge'),
}) {}

@ObjectType({ description: 'A recent failure' })
class RecentFailure extends objectFields({
  at: field(Date, 'When it failed'),
  title: field(String, 'What failed: a key fetch, a preview or a job'),
  subject: field(String, 'Server name, URL or job'),
  message: field(String, 'Why, in one sentence'),
  href: field(String, 'Page of the web UI with details'),
}) {}

@ObjectType({ description: 'Part of the stored media' })
class SpaceShare extends objectFields({
  name: field(String, 'Host, media type or user'),
  items: field(Int, 'Number of files'),
  bytes: field(GraphQLSafeInt, 'Bytes of the files, without thumbnails'),
}) {}

@ObjectType({ description: 'Disk usage of media' })
class MediaSpace extends objectFields({
  diskBytes: field(GraphQLSafeInt, 'Bytes of all media and thumbnails'),
  byType: field([SpaceShare], 'By media type, largest first'),
  byHost: field([SpaceShare], 'By host, largest first'),
  byOwner: nullable([SpaceShare], 'By user, largest first; null for roles that may not see users'),
}) {}

@ObjectType({ description: 'State of the server' })
class Overview extends objectFields({
  version: field(String, 'Version of the program'),
  startedAt: field(Date, 'When this instance was started'),
}) {}

@ObjectType({ description: 'Result of a test delivery' })
class TestWebhookPayload extends payloadFields({
  delivered: field(Boolean, 'Whether the webhook answered with a 2xx status'),
  message: nullable(String, 'The result in one sentence'),
}) {
  static readonly nothing = { delivered: false };
}

class NoArgs extends argsFields({}) {}

class SeriesArgs extends argsFields({
  metrics: field([Metric], 'Metrics to return'),
  range: field(TimeRange, 'Period', 'day'),
}) {}

@Resolver(() => Overview)
export class OverviewResolver {
  @Query(() => Overview, { description: 'State of the server' })
  overview(@Ctx() { services }: GraphqlContext): Overview {
    return withDates(services.overview.process);
  }

  @Query(() => MediaSpace, { description: 'Disk usage of media' })
  async mediaSpace(@Ctx() context: GraphqlContext): Promise<MediaSpace> {
    const { byOwner, ...space } = await context.services.overview.counts.space();
    return { ...space, byOwner: hidesOwners(context) ? null : byOwner };
  }

  @Detail([HealthCheck], 'Health checks, worst first', {
    given: {
      fresh: field(
        Boolean,
        'Run checks that make requests now; otherwise their results are up to 5 minutes old',
        false,
      ),
    },
  })
  async health(
    _: Overview,
    { services }: GraphqlContext,
    { fresh }: { fresh: boolean },
  ): Promise<HealthCheck[]> {
    if (fresh) await services.health.probe();
    return (await services.health.look()).map(({ id: key, ...line }) => ({ key, ...withDates(line) }));
  }

  @Detail(Totals, 'Totals')
  totals(_: Overview, { services }: GraphqlContext): Promise<Totals> {
    return totalsOf(services.overview);
  }

  @Detail([RecentFailure], 'Latest failures, newest first, at most 5')
  async recentFailures(_: Overview, context: GraphqlContext): Promise<RecentFailure[]> {
    const { database, overview } = context.services;
    const failures = await recentFailures(database, overview.previews);
    return failures.map((failure) => toRecentFailure(failure, context));
  }

  @Detail([Series], 'Numbers over time', { given: SeriesArgs })
  async series(_: Overview, { services }: GraphqlContext, { metrics, range }: SeriesArgs): Promise<Series[]> {
    const series = await services.overview.series(metrics, range);
    return series.map(({ startTs, ...rest }) => ({ ...rest, startsAt: toDate(startTs) }));
  }

  @OperatorMutation(NoArgs, TestWebhookPayload, 'Sends a test alarm to the webhook')
  async testWebhook(_: NoArgs, { services, audit }: GraphqlContext) {
    audit.about({ targetType: 'Webhook', targetId: 'alerts.webhook', summary: 'Test the webhook' });
    const attempt = await services.testWebhook();
    if (attempt === null) throw refusal('NOT_FOUND', 'No webhook is configured. Set alerts.webhook.url');
    const { isDelivered: delivered, message } = attempt;
    audit.about({ detail: { delivered, message } });
    return { ...payloadOf(), delivered, message };
  }
}

/** A shortened URL cannot be tried again. */
function toRecentFailure(row: CoreFailure, context: GraphqlContext): RecentFailure {
  const failure = { ...withDates(row), message: withoutUsers(row.message) };
  const subject = row.title === 'Preview' ? shownUrl(row.subject, context) : row.subject;
  return subject === row.subject ? failure : { ...failure, subject, href: '/previews' };
}
