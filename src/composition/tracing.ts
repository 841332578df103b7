import { hostname } from 'node:os';

import type { Config } from '../config/schema.js';
import { VERSION } from '../config/version.js';
import type { Clock } from '../core/base/clock.js';
import type { Logger } from '../core/base/logger.js';
import type { Metrics } from '../core/base/metrics.js';
import { parseUrl } from '../core/base/text/parse-url.js';
import { SILENT_TRACE, tellingOf, type WorkListener } from '../core/base/trace.js';
import type { TraceExport } from '../core/net/tracing/trace-export.js';
import type { KeyFetcher } from '../core/notary/keys/key-fetcher.js';
import type { PreviewBuilder } from '../core/preview/pipeline/preview-builder.js';

/** Sends work to the collector of the configuration; `null` without one, and then nothing is loaded. */
export async function createTraceExport(
  { tracing, jobs }: Config,
  { clock, logger, metrics }: { clock: Clock; logger: Logger; metrics: Metrics },
): Promise<TraceExport | null> {
  const { endpoint } = tracing;
  if (endpoint === null) return null;
  const { openTraceExport } = await import('../core/net/tracing/trace-export.js');
  let isFailing = false;
  return openTraceExport({
    endpoint,
    clock,
    version: VERSION,
    instance: jobs.instance ?? hostname(),
    samplePercent: tracing.sample_percent,
    maxQueue: tracing.max_queue,
    timeoutMs: tracing.timeout,
    onExport: (spans, error) => {
      metrics.traceSpans.inc({ outcome: error === null ? 'sent' : 'failed' }, spans);
      // Once until it works again: a collector that is away would fill the log.
      if (error !== null && !isFailing) logger.warn({ err: error, spans }, 'traces could not be sent');
      isFailing = error !== null;
    },
  });
}

type Fetcher = Pick<KeyFetcher, 'fetch' | 'lookUpHost'>;

/** The same fetches, told with every stage. */
export function tracedFetcher(fetcher: Fetcher, listener: WorkListener | null): Fetcher {
  if (listener === null) return fetcher;
  return {
    lookUpHost: (serverName, by) => fetcher.lookUpHost(serverName, by),
    fetch: (serverName, trace, options) => {
      const name = { name: 'key_fetch' as const, attributes: { 'server.address': serverName } };
      return tellingOf(listener, name, (told) =>
        fetcher.fetch(
          serverName,
          {
            begin: (step) => trace.begin?.(step),
            step: (step) => {
              trace.step(step);
              told.step(step);
            },
          },
          options,
        ),
      );
    },
  };
}

type Builder = Pick<PreviewBuilder, 'build'>;

/** The same previews, told with every stage; those that an operator tries have their own trace. */
export function tracedBuilder(builder: Builder, listener: WorkListener | null): Builder {
  if (listener === null) return builder;
  return {
    build: (job) => {
      if (job.trace !== SILENT_TRACE) return builder.build(job);
      const host = parseUrl(job.url)?.host ?? '';
      const name = { name: 'preview' as const, attributes: { 'server.address': host } };
      return tellingOf(listener, name, (trace) => builder.build({ ...job, trace }));
    },
  };
}
