import type { Tracer } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

import type { Clock } from '../../base/clock.js';
import { Deadline } from '../../base/deadline.js';
import type { TimedStep, TracedWork, WorkListener } from '../../base/trace.js';
import { fetchTrusted } from '../http/trusted-client.js';

export interface TraceExportOptions {
  /** Where spans are posted, such as `http://127.0.0.1:4318/v1/traces`. */
  endpoint: string;
  clock: Clock;
  version: string;
  /** Which of our processes. */
  instance: string;
  /** Of a hundred pieces of work so many are sent. */
  samplePercent: number;
  /** Spans that wait; further ones are dropped. */
  maxQueue: number;
  timeoutMs: number;
  /** Told of each post: how many spans it had, and why it failed. */
  onExport: (spans: number, error: Error | null) => void;
}

/** Sends work as traces; nothing is kept beyond the queue. */
export interface TraceExport extends WorkListener {
  /** Sends what waits, as far as the collector takes it in time. */
  close(): Promise<void>;
}

const MAX_BATCH = 512;
const EVERY_MS = 2000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_VALUE_CHARACTERS = 256;
/** As the specification of OpenTelemetry numbers them. */
const [SUCCESS, FAILED] = [0, 1] as const;
const ERROR_STATUS = 2;

/** Loads the SDK, which nothing else does, and begins to send. Of its environment variables none is read. */
export async function openTraceExport(options: TraceExportOptions): Promise<TraceExport> {
  const [api, sdk, { resourceFromAttributes }, { JsonTraceSerializer }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/otlp-transformer'),
  ]);
  const exporter = httpExporter(options, (spans) => JsonTraceSerializer.serializeRequest(spans) ?? null);
  const processor = new sdk.BatchSpanProcessor({
    exporter,
    maxQueueSize: options.maxQueue,
    maxExportBatchSize: Math.min(MAX_BATCH, options.maxQueue),
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: options.timeoutMs,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'vidimus',
      'service.version': options.version,
      'service.instance.id': options.instance,
    }),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(options.samplePercent / 100),
    }),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARACTERS, attributeCountLimit: 32 },
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('vidimus', options.version);
  const tell = (work: TracedWork): void => writeSpans(api, tracer, work);
  // What cannot be sent at the end has been told to `onExport`.
  const close = (): Promise<void> => provider.shutdown().catch(() => undefined);
  return { clock: options.clock, tell, close };
}

/** One span for the work, and one within it for each stage. */
function writeSpans(
  { ROOT_CONTEXT, trace }: typeof import('@opentelemetry/api'),
  tracer: Tracer,
  { name, attributes, startedTs, durationMs, steps, reason }: TracedWork,
): void {
  const root = tracer.startSpan(name, { startTime: new Date(startedTs), attributes }, ROOT_CONTEXT);
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (const step of steps) {
    const beganTs = startedTs + step.startedAtMs;
    const about = { startTime: new Date(beganTs), attributes: attributesOf(step) };
    const span = tracer.startSpan(`${name}.${step.name}`, about, within);
    if (step.status === 'failed') span.setStatus({ code: ERROR_STATUS });
    span.end(new Date(beganTs + step.ms));
  }
  if (reason !== null) {
    root.setAttribute('error.type', reason);
    root.setStatus({ code: ERROR_STATUS });
  }
  root.end(new Date(startedTs + durationMs));
}

/** Figures and reasons alone: sentences and other details name addresses of pages. */
function attributesOf({ status, detail = {} }: TimedStep): Record<string, string | number> {
  const kept = Object.entries(detail).filter(
    ([name, value]) => name === 'reason' || typeof value === 'number',
  );
  return { status, ...Object.fromEntries(kept) };
}

/** OTLP over HTTP in JSON, one post at a time, by the client for addresses of the configuration. */
function httpExporter(
  { endpoint, timeoutMs, onExport }: TraceExportOptions,
  serialize: (spans: ReadableSpan[]) => Uint8Array | null,
): SpanExporter {
  const post = async (spans: ReadableSpan[]): Promise<void> => {
    const body = serialize(spans);
    if (body === null) throw new Error('the spans cannot be written');
    const deadline = new Deadline(timeoutMs);
    try {
      const { status } = await fetchTrusted({
        url: new URL(endpoint),
        headers: { 'Content-Type': 'application/json' },
        body: Buffer.from(body),
        maxBodyBytes: MAX_ANSWER_BYTES,
        deadline,
      });
      if (status < 200 || status > 299) throw new Error(`the collector answered ${status}`);
    } finally {
      deadline.close();
    }
  };
  const failureOf = async (spans: ReadableSpan[]): Promise<Error | null> => {
    try {
      await post(spans);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const exportSpans = async (spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]) => {
    const error = await failureOf(spans);
    onExport(spans.length, error);
    done(error === null ? { code: SUCCESS } : { code: FAILED, error });
  };
  return {
    export: (spans, done) => void exportSpans(spans, done),
    shutdown: () => Promise.resolve(),
  };
}
