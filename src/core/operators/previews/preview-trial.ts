import type { Clock } from '../../base/clock.js';
import { ApiError, errorBody } from '../../base/errors/api-error.js';
import { parseUrl } from '../../base/text/url.js';
import { type TimedStep, TimedTrace, type Trace, type TraceWatch } from '../../base/trace.js';
import { PreviewTrace, STAGE_TITLES } from '../../preview/build/preview-trace.js';
import { mediaIdOf } from '../../preview/pipeline/preview-store.js';
import type { Previewer, TracedPreview } from '../../preview/pipeline/previewer.js';
import { previewAdvice } from '../diagnosis/advice.js';
import type { PreviewReplacement } from './preview-replacement.js';
import { originOf, propertiesOf } from './previews.js';

/** A stage as operators see it: with title and advice. */
function describeStage(step: TimedStep): TimedStep {
  const title = step.title ?? STAGE_TITLES.get(step.name) ?? step.name;
  const isProblem = step.status === 'failed' || step.status === 'warning';
  const reason = step.detail?.['reason'];
  const advice = isProblem && typeof reason === 'string' ? previewAdvice(reason) : null;
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

/** What an operator wants tried. */
export interface TrialRequest {
  url: string;
  ignoreCaches: boolean;
  /** Owner of what is stored. */
  actor: string;
  requestId: string;
  signal?: AbortSignal;
}

/** What came of it: what a client would get (status, and the body byte for byte), and every stage in order. */
export type TrialResult = Awaited<ReturnType<PreviewTrial['try']>>;

export interface PreviewTrialOptions {
  previewer: Pick<Previewer, 'try'>;
  replacement: PreviewReplacement;
  clock: Clock;
}

/** "Try a preview": what a client would get, and how it comes about. */
export class PreviewTrial {
  constructor(private readonly options: PreviewTrialOptions) {}

  /** Runs the pipeline of clients under the eyes of an operator. Rejects only for what nobody foresaw. */
  async try(wanted: TrialRequest, watch?: TraceWatch) {
    const { previewer, replacement, clock } = this.options;
    const trace = new TimedTrace(watch, describeStage);
    const { ignoreCaches, actor, requestId, signal } = wanted;
    const url = withScheme(wanted.url, trace);
    const request = { url, ts: clock.now(), userId: actor, requestId };
    const stages = () => ({ steps: trace.steps, durationMs: trace.elapsedMs() });
    try {
      const traced = await previewer.try(request, { trace: new PreviewTrace(trace), ignoreCaches, signal });
      const { built, storedId } = traced;
      if (storedId !== null) await replacement.replaceOlder(url, storedId);
      return { url, status: 200, built, storedId, ...answerOf(traced), ...stages() };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const body = JSON.stringify(errorBody(error));
      return { ...NOTHING, url, status: error.status, body, ...stages() };
    }
  }
}

const NOTHING = { properties: [], droppedProperties: [], built: null, imageMediaId: null, storedId: null };

function answerOf({ built, dropped, body: bytes }: TracedPreview) {
  const body = bytes.toString('utf8');
  const oembedKeys = new Set(built?.oembedKeys);
  const properties = propertiesOf(body, oembedKeys);
  const image = properties.find(({ key }) => key === 'og:image')?.value;
  const origins = { hasImage: image !== undefined, oembedKeys };
  const droppedProperties = dropped.map((key) => ({
    key,
    value: built?.openGraph.get(key) ?? null,
    origin: originOf(key, origins),
  }));
  return { body, properties, droppedProperties, imageMediaId: mediaIdOf(image) };
}
