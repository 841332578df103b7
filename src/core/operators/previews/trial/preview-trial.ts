import type { Clock } from '../../../base/clock.js';
import { errorBody, ApiError } from '../../../base/errors/api-error.js';
import type { PreviewSource, TracedPreview } from '../../../preview/build/job.js';
import { mediaIdOf } from '../../../preview/pipeline/preview-store.js';
import type { Previewer } from '../../../preview/pipeline/previewer.js';
import { TimedTrace, type TimedStep, type TraceWatch } from '../../../base/trace.js';
import type { PreviewReplacement } from '../preview-replacement.js';
import { originOf, propertiesOf, type PreviewProperty } from '../property-origins.js';
import { describeStage, withScheme } from './trial-stages.js';
import type { TrialMedia } from './trial-media.js';

/** What an operator wants tried. */
export interface TrialRequest {
  url: string;
  /** Point in time as a client would state it; `null`: now. */
  ts: number | null;
  ignoreCaches: boolean;
  store: boolean;
  /** `Accept-Language` lines; `null`: those of the configuration. */
  acceptLanguage: readonly string[] | null;
  /** Owner of what is stored. */
  actor: string;
  requestId: string;
  signal?: AbortSignal;
}

/** What came of it. */
export interface TrialResult {
  url: string;
  finalUrl: string | null;
  /** `null` when nothing was made. */
  source: PreviewSource | null;
  /** What a client would get: status, and the body byte for byte. */
  status: number;
  body: string;
  properties: PreviewProperty[];
  droppedProperties: PreviewProperty[];
  /** Every stage in order. */
  steps: TimedStep[];
  durationMs: number;
  /** Size of the target, decompressed; 0 when none came. */
  downloadedBytes: number;
  /** The image; of a try that stores nothing it stays for a few minutes. */
  imageMediaId: string | null;
  /** Row that was stored, or answered. */
  storedId: number | null;
}

export interface PreviewTrialOptions {
  previewer: Pick<Previewer, 'try'>;
  replacement: PreviewReplacement;
  media: TrialMedia;
  clock: Clock;
  monotonicNowMs: () => number;
}

/** "Try a preview": what a client would get, and how it comes about. */
export class PreviewTrial {
  constructor(private readonly options: PreviewTrialOptions) {}

  /** Runs the pipeline of clients under the eyes of an operator. Rejects only for what nobody foresaw. */
  async try(wanted: TrialRequest, watch?: TraceWatch): Promise<TrialResult> {
    const trace = new TimedTrace(this.options.monotonicNowMs, watch);
    const request = { ...wanted, url: withScheme(wanted.url, trace) };
    const made: string[] = [];
    let traced: TracedPreview;
    try {
      traced = await this.#trace(request, trace, made);
    } catch (error) {
      await this.options.media.drop(made, null);
      if (!(error instanceof ApiError)) throw error;
      return failed(request.url, error, trace);
    }
    const { storedId } = traced;
    const result = succeeded(request.url, traced, trace);
    // From here on what is stored names its files, whatever else fails.
    if (storedId === null) await this.options.media.drop(made, result.imageMediaId);
    else await this.options.replacement.replaceOlder(request.url, storedId);
    return result;
  }

  #trace(request: TrialRequest, trace: TimedTrace, made: string[]): Promise<TracedPreview> {
    const { url, ts, ignoreCaches, store, actor, requestId, signal } = request;
    const asked = { url, ts: ts ?? this.options.clock.now(), userId: actor, requestId };
    return this.options.previewer.try(asked, trace, {
      ignoreCaches,
      store,
      acceptLanguage: request.acceptLanguage ?? undefined,
      signal,
      noteMedia: (mediaId) => void made.push(mediaId),
    });
  }
}

const NOTHING = {
  finalUrl: null,
  source: null,
  properties: [],
  droppedProperties: [],
  downloadedBytes: 0,
  imageMediaId: null,
  storedId: null,
};

function succeeded(url: string, traced: TracedPreview, trace: TimedTrace): TrialResult {
  const { built, dropped, storedId } = traced;
  const { finalUrl, source, downloadedBytes } = built ?? NOTHING;
  const body = traced.body.toString('utf8');
  const oembedKeys = new Set(built?.oembedKeys ?? []);
  const properties = propertiesOf(body, oembedKeys);
  const image = properties.find(({ key }) => key === 'og:image')?.value;
  const origins = { hasImage: image !== undefined, oembedKeys };
  return {
    url,
    finalUrl,
    source,
    status: 200,
    body,
    properties,
    droppedProperties: dropped.map((key) => ({
      key,
      value: built?.openGraph.get(key) ?? null,
      origin: originOf(key, origins),
    })),
    steps: trace.steps.map(describeStage),
    durationMs: trace.elapsedMs(),
    downloadedBytes,
    imageMediaId: mediaIdOf(image),
    storedId,
  };
}

function failed(url: string, error: ApiError, trace: TimedTrace): TrialResult {
  return {
    ...NOTHING,
    url,
    status: error.status,
    body: JSON.stringify(errorBody(error)),
    steps: trace.steps.map(describeStage),
    durationMs: trace.elapsedMs(),
  };
}
