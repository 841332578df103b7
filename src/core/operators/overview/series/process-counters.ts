import type { Counter } from 'prom-client';

import type { Metrics } from '../../../base/metrics.js';
import type { MetricName } from './metric-store.js';

/** Figures of this process: counters since its start, and what was last measured. */
export type ProcessCounters = Readonly<Record<MetricName | 'key_cache_misses', number>>;

/** Figures that no counter of `Metrics` holds. */
export interface OtherFigures {
  blockHits: number;
  mediaBytes: number;
}

/** Reads the counters that Prometheus sees, too, so that both tell the same. */
export async function readCounters(metrics: Metrics, others: OtherFigures): Promise<ProcessCounters> {
  const lookups = await byLabel(metrics.keyLookups, 'result');
  const fetches = await byLabel(metrics.keyFetches, 'outcome');
  const previews = await byLabel(metrics.previewRequests, 'result');
  const refusals = await byLabel(metrics.previewRefusals, 'refusal');
  const of = (counts: ReadonlyMap<string, number>, label: string) => counts.get(label) ?? 0;
  return {
    key_queries: sum(await byLabel(metrics.keyQueries, 'form')),
    key_cache_hits: of(lookups, 'fresh'),
    key_cache_misses: of(lookups, 'missed'),
    key_fetches: sum(fetches),
    key_fetch_failures: sum(fetches) - of(fetches, 'ok'),
    preview_requests: sum(previews),
    preview_memory_hits: of(previews, 'memory'),
    preview_store_hits: of(previews, 'stored'),
    preview_generated: of(previews, 'made'),
    preview_failures: of(previews, 'failed'),
    preview_denied: of(refusals, 'denied'),
    preview_unavailable: of(refusals, 'unavailable'),
    block_hits: others.blockHits,
    media_bytes: others.mediaBytes,
    media_deleted: of(await byLabel(metrics.jobWork, 'kind'), 'media'),
  };
}

async function byLabel<T extends string>(counter: Counter<T>, label: T): Promise<Map<string, number>> {
  const { values } = await counter.get();
  const counts = new Map<string, number>();
  for (const { labels, value } of values) {
    const name = String(labels[label]);
    counts.set(name, (counts.get(name) ?? 0) + value);
  }
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
