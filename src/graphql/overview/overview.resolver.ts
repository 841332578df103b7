import { Arg, Ctx, FieldResolver, Query, Resolver } from 'type-graphql';

import type { MetricName } from '../../core/operators/overview/series/metric-names.js';
import { toDate } from '../common/dates.js';
import type { GraphqlContext } from '../context.js';
import {
  CacheStats,
  KeyCounts,
  MediaCounts,
  MediaSpace,
  PreviewCounts,
  toCacheStats,
} from './counts.type.js';
import { Metric, TimeRange } from './overview.enums.js';
import { HealthCheck, Instance, Overview, RecentFailure, Series, toRecentFailure } from './overview.type.js';

@Resolver(() => Overview)
export class OverviewResolver {
  @Query(() => Overview)
  overview(@Ctx() { services }: GraphqlContext): Overview {
    const { startedTs, ...process } = services.overview.process;
    return { ...process, commit: null, startedAt: new Date(startedTs) };
  }

  @Query(() => MediaSpace)
  async mediaSpace(@Ctx() { services }: GraphqlContext): Promise<MediaSpace> {
    const { measuredTs, ...shares } = await services.overview.mediaSpace();
    return { ...shares, measuredAt: toDate(measuredTs) };
  }

  @FieldResolver(() => [Instance])
  async instances(@Ctx() { services }: GraphqlContext): Promise<Instance[]> {
    const instances = await services.overview.instances();
    return instances.map(({ startedTs, lastSeenTs, ...rest }) => ({
      ...rest,
      startedAt: new Date(startedTs),
      lastSeenAt: new Date(lastSeenTs),
    }));
  }

  @FieldResolver(() => [HealthCheck])
  async health(@Ctx() { services }: GraphqlContext): Promise<HealthCheck[]> {
    const { checks, checkedTs } = await services.overview.health();
    return checks.map(({ provedTs, ...check }) => ({
      ...check,
      checkedAt: new Date(checkedTs),
      provedAt: toDate(provedTs),
    }));
  }

  @FieldResolver(() => KeyCounts)
  keys(@Ctx() { services }: GraphqlContext): Promise<KeyCounts> {
    return services.overview.keys();
  }

  @FieldResolver(() => PreviewCounts)
  async previews(@Ctx() { services }: GraphqlContext): Promise<PreviewCounts> {
    const { failed, ...counts } = await services.overview.previews();
    return { ...counts, failedInMemory: failed };
  }

  @FieldResolver(() => MediaCounts)
  async media(@Ctx() { services }: GraphqlContext): Promise<MediaCounts> {
    const { measuredTs, ...counts } = await services.overview.media();
    return { ...counts, measuredAt: toDate(measuredTs) };
  }

  @FieldResolver(() => CacheStats)
  async memoryCache(@Ctx() { services }: GraphqlContext): Promise<CacheStats> {
    return toCacheStats(await services.overview.memoryCache());
  }

  @FieldResolver(() => CacheStats)
  async storeCache(@Ctx() { services }: GraphqlContext): Promise<CacheStats> {
    return toCacheStats(await services.overview.storeCache());
  }

  @FieldResolver(() => CacheStats)
  async keyCache(@Ctx() { services }: GraphqlContext): Promise<CacheStats> {
    return toCacheStats(await services.overview.keyCache());
  }

  @FieldResolver(() => [RecentFailure], {
    description: 'Latest failed key fetches and previews, newest first, at most 5',
  })
  async recentFailures(@Ctx() context: GraphqlContext): Promise<RecentFailure[]> {
    const failures = await context.services.overview.recentFailures();
    return failures.map((failure) => toRecentFailure(failure, context));
  }

  @FieldResolver(() => [Series])
  async series(
    @Arg('metrics', () => [Metric]) metrics: MetricName[],
    @Arg('range', () => TimeRange, { defaultValue: TimeRange.DAY }) range: TimeRange,
    @Ctx() { services }: GraphqlContext,
  ): Promise<Series[]> {
    const series = await services.overview.series(metrics, range);
    return series.map(({ points, ...rest }) => ({
      ...rest,
      points: points.map(({ ts, value }) => ({ at: new Date(ts), value })),
    }));
  }
}
