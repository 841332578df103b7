import { wordsEnum } from '../common/enums.js';
import type { MetricName } from '../../core/operators/overview/series/metric-names.js';
import type { TimeRange as CoreTimeRange } from '../../core/operators/overview/series/time-ranges.js';

/** Names on the wire → values inside. */
export const HealthState = wordsEnum('HealthState', ['ok', 'warning', 'failed']);
export type HealthState = (typeof HealthState)[keyof typeof HealthState];

export const Metric = wordsEnum('Metric', [
  'key_queries',
  'key_cache_hits',
  'key_fetches',
  'key_fetch_failures',
  'preview_requests',
  'preview_memory_hits',
  'preview_store_hits',
  'preview_generated',
  'preview_failures',
  'block_hits',
  'media_bytes',
  'media_deleted',
]);
export type Metric = MetricName;

export const TimeRange = wordsEnum('TimeRange', ['hour', 'day', 'week', 'month']);
export type TimeRange = CoreTimeRange;

export const FailureKind = wordsEnum('FailureKind', ['key_fetch', 'preview', 'job']);
export type FailureKind = (typeof FailureKind)[keyof typeof FailureKind];
