import { Arg, Ctx, FieldResolver, Query, Resolver } from 'type-graphql';

import type { MetricName } from '../../core/operators/overview/series/metric-names.js';
import { withDates } from '../common/dates.js';
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
import { HealthCheck, Overview, RecentFailure, Series, toRecentFailure } from './overview.type.js';

@Resolver(() => Overview)
export class OverviewResolver {
  @Query(() => Overview)
  overview(@Ctx() { services }: GraphqlContext): Overview {
    return { ...withDates(services.overview.process), commit: null };
  }

  @Query(() => MediaSpace)
  async mediaSpace(@Ctx() { services }: GraphqlContext): Promise<MediaSpace> {
    return withDates(await services.overview.mediaSpace());
  }

  @FieldResolver(() => [HealthCheck])
  async health(
    @Arg('fresh', () => Boolean, {
      defaultValue: false,
      description: 'Runs the checks that go out now; otherwise they are at most five minutes old',
    })
    fresh: boolean,
    @Ctx() { services }: GraphqlContext,
  ): Promise<HealthCheck[]> {
    if (fresh) await services.health.probe();
    return (await services.health.look()).map(({ id: key, ...line }) => ({ key, ...withDates(line) }));
  }

  @FieldResolver(() => KeyCounts)
  keys(@Ctx() { services }: GraphqlContext): Promise<KeyCounts> {
    return services.overview.keys();
  }

  @FieldResolver(() => PreviewCounts)
  async previews(@Ctx() { services }: GraphqlContext): Promise<PreviewCounts> {
    const { stored, failed } = await services.overview.previews();
    return { stored, failedInMemory: failed };
  }

  @FieldResolver(() => MediaCounts)
  media(@Ctx() { services }: GraphqlContext): Promise<MediaCounts> {
    return services.overview.media();
  }

  @FieldResolver(() => CacheStats)
  async memoryCache(@Ctx() { services }: GraphqlContext): Promise<CacheStats> {
    return toCacheStats(await services.overview.memoryCache());
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
    return series.map(({ points, ...rest }) => ({ ...rest, points: points.map(withDates) }));
  }
}
