import { type Clock, MINUTE_MS } from '../../base/clock.js';
import { ApiError, errorBody } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { parseUrl } from '../../base/text/parse-url.js';
import { type TimedStep, TimedTrace, type Trace, type TraceWatch } from '../../base/trace.js';
import { RunProgress } from '../../job-runner/run-progress.js';
import type { PreviewSource, TracedPreview } from '../../preview/build/job.js';
import type { PreviewStage } from '../../preview/build/steps.js';
import type { MediaRemoval } from '../../preview/cleanup/preview-cleanup.js';
import { mediaIdOf } from '../../preview/pipeline/preview-store.js';
import type { Previewer } from '../../preview/pipeline/previewer.js';
import { adviceFor } from './failure-advice.js';
import type { PreviewReplacement } from './preview-replacement.js';
import { originOf, type PreviewProperty, propertiesOf } from './previews.js';

/** What stages are called. */
export const STAGE_TITLES: ReadonlyMap<string, string> = new Map<PreviewStage, string>([
  ['rules', 'URL rules'],
  ['memory', 'Memory cache'],
  ['stored', 'Stored previews'],
  ['oembed_lookup', 'oEmbed look-up'],
  ['dns', 'Name resolution'],
  ['address', 'Address check'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['redirects', 'Redirects'],
  ['download', 'Download'],
  ['decode', 'Decode'],
  ['parse', 'Parse'],
  ['oembed_discovery', 'oEmbed discovery'],
  ['picture', 'Image'],
  ['thumbnails', 'Thumbnails'],
  ['title_fallback', 'Title fallback'],
  ['prune', 'Prune'],
  ['store', 'Store'],
]);

/** A stage as operators see it: with title and advice. */
export function describeStage(step: TimedStep): TimedStep {
  const title = step.title ?? STAGE_TITLES.get(step.name) ?? step.name;
  const isProblem = step.status === 'failed' || step.status === 'warning';
  const reason = step.detail?.['reason'];
  const advice = isProblem && typeof reason === 'string' ? adviceFor(reason) : null;
  return advice === null ? { ...step, title } : { ...step, title, advice };
}

const HAS_SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i;
/** `example.org:8080/a` begins like a scheme. */
const HOST_AND_PORT = /^\s*[^/?#:@\s]+:\d{1,5}(?:[/?#]|\s*$)/;

/** The address with `https://` before it when it has no scheme, which is a stage. Clients send whole addresses. */
function withScheme(url: string, trace: Trace): string {
  if (HAS_SCHEME.test(url) && !HOST_AND_PORT.test(url)) return url;
  const whole = `https://${url.trim().replace(/^\/+/, '')}`;
  if (parseUrl(whole) === null) return url;
  trace.step({
    name: 'scheme',
    title: 'Scheme',
    status: 'warning',
    ms: 0,
    sentence: `https:// assumed: ${whole}`,
    detail: { reason: 'scheme_assumed' },
  });
  return whole;
}

/** Long enough to look at a result. */
const KEEP_MS = 10 * MINUTE_MS;

/**
 * Media of tries that store nothing. The image stays for a few minutes, so that the operator sees it; everything
 * goes when the process ends, and what a crash leaves goes with the cleanup of previews.
 */
export class TrialMedia {
  readonly #kept = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly removal: MediaRemoval,
    private readonly logger: Logger,
  ) {}

  /** Removes media of one try at once, but an image to look at a few minutes later. */
  async drop(mediaIds: readonly string[], image: string | null): Promise<void> {
    await this.#remove(mediaIds.filter((mediaId) => mediaId !== image));
    if (image === null || !mediaIds.includes(image)) return;
    const timer = setTimeout(() => {
      this.#kept.delete(image);
      void this.#remove([image]);
    }, KEEP_MS);
    this.#kept.set(image, timer.unref());
  }

  /** Removes what is still kept. */
  async close(): Promise<void> {
    const mediaIds = [...this.#kept.keys()];
    for (const timer of this.#kept.values()) clearTimeout(timer);
    this.#kept.clear();
    await this.#remove(mediaIds);
  }

  async #remove(mediaIds: readonly string[]): Promise<void> {
    try {
      const progress = new RunProgress(new AbortController().signal, () => Promise.resolve(true));
      await this.removal.remove(mediaIds, progress);
    } catch (error) {
      this.logger.warn({ err: error }, 'media of a try stays until the next cleanup');
    }
  }
}

/** What an operator wants tried. */
export interface TrialRequest {
  url: string;
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
    const { url, ignoreCaches, store, actor, requestId, signal } = request;
    const asked = { url, ts: this.options.clock.now(), userId: actor, requestId };
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
