import { isKeyOf } from '../../../base/json/is-record.js';

/** How a figure grows: counters are summed over a span, gauges keep their last value. */
export type MetricKind = 'counter' | 'gauge';

/** The figures kept over time for operators, with how they add up. */
export const METRIC_KINDS = {
  key_queries: 'counter',
  key_cache_hits: 'counter',
  key_fetches: 'counter',
  key_fetch_failures: 'counter',
  preview_requests: 'counter',
  preview_memory_hits: 'counter',
  preview_store_hits: 'counter',
  preview_generated: 'counter',
  preview_failures: 'counter',
  preview_denied: 'counter',
  preview_unavailable: 'counter',
  block_hits: 'counter',
  media_bytes: 'gauge',
  media_deleted: 'counter',
} as const satisfies Record<string, MetricKind>;

export type MetricName = keyof typeof METRIC_KINDS;

export const METRIC_NAMES = Object.keys(METRIC_KINDS).filter((name) => isKeyOf(METRIC_KINDS, name));
