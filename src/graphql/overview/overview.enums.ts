import { registerEnumType } from 'type-graphql';

import type { HealthCheck as CoreHealthCheck } from '../../core/operators/overview/health/health-check.js';
import type { MetricName } from '../../core/operators/overview/series/metric-names.js';
import type { RecentFailure as CoreRecentFailure } from '../../core/operators/overview/recent-failure-store.js';
import type { TimeRange as CoreTimeRange } from '../../core/operators/overview/series/time-ranges.js';

/** Names on the wire → values inside. */
export const HealthState = { OK: 'ok', WARNING: 'warning', FAILED: 'failed' } as const satisfies Record<
  string,
  CoreHealthCheck['state']
>;
export type HealthState = CoreHealthCheck['state'];
registerEnumType(HealthState, { name: 'HealthState' });

export const Metric = {
  KEY_QUERIES: 'key_queries',
  KEY_CACHE_HITS: 'key_cache_hits',
  KEY_FETCHES: 'key_fetches',
  KEY_FETCH_FAILURES: 'key_fetch_failures',
  PREVIEW_REQUESTS: 'preview_requests',
  PREVIEW_MEMORY_HITS: 'preview_memory_hits',
  PREVIEW_STORE_HITS: 'preview_store_hits',
  PREVIEW_GENERATED: 'preview_generated',
  PREVIEW_FAILURES: 'preview_failures',
  BLOCK_HITS: 'block_hits',
  MEDIA_BYTES: 'media_bytes',
  MEDIA_DELETED: 'media_deleted',
} as const satisfies Record<string, MetricName>;
export type Metric = MetricName;
registerEnumType(Metric, { name: 'Metric' });

export const TimeRange = {
  HOUR: 'hour',
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
} as const satisfies Record<string, CoreTimeRange>;
export type TimeRange = CoreTimeRange;
registerEnumType(TimeRange, { name: 'TimeRange' });

export const FailureKind = {
  KEY_FETCH: 'key_fetch',
  PREVIEW: 'preview',
  JOB: 'job',
} as const satisfies Record<string, CoreRecentFailure['kind']>;
export type FailureKind = CoreRecentFailure['kind'];
registerEnumType(FailureKind, { name: 'FailureKind' });
