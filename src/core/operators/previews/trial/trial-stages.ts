import { parseUrl } from '../../../base/text/parse-url.js';
import type { TimedStep, Trace } from '../../../base/trace.js';
import type { PreviewStage } from '../../../preview/build/steps.js';
import { adviceFor } from '../failure-advice.js';

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
export function withScheme(url: string, trace: Trace): string {
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
