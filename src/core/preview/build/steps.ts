import type { PageExtract } from '../extract/extract-page.js';
import { counted } from '../../base/text/counted.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { failureOf } from '../download/download-trace.js';
import type { NewMedia } from '../media/media-row-store.js';
import type { PreviewCacheEntry } from '../pipeline/preview-cache.js';
import type { StoredPreview } from '../pipeline/preview-store.js';

/** Stages of a preview, in the order they come; those before the first and after the last are the previewer's. */
const PREVIEW_STAGES = [
  'rules',
  'memory',
  'stored',
  'oembed_lookup',
  'dns',
  'address',
  'connect',
  'tls',
  'redirects',
  'download',
  'decode',
  'parse',
  'oembed_discovery',
  'picture',
  'thumbnails',
  'title_fallback',
  'prune',
  'store',
] as const;

export type PreviewStage = (typeof PREVIEW_STAGES)[number];

/** Tells a stage that takes no time worth measuring. */
export function tell(
  trace: Trace,
  name: PreviewStage,
  step: Pick<TraceStep, 'status' | 'sentence'> & Partial<Omit<TraceStep, 'name'>>,
): void {
  trace.step({ ms: 0, name, ...step });
}

export function msSince(startMs: number): number {
  return Math.round(performance.now() - startMs);
}

/** SPEC §4.7.2 */
export function tellMemory(trace: Trace, entry: PreviewCacheEntry | null): void {
  if (entry === null || entry.outcome === null) {
    const sentence =
      entry === null
        ? 'No answer is in memory.'
        : 'A client is waiting for the same preview; this try runs separately.';
    return tell(trace, 'memory', { status: 'ok', sentence });
  }
  const { outcome, storedTs, expiresTs, hits } = entry;
  const until = new Date(expiresTs).toISOString();
  const failure = 'error' in outcome ? failureOf(outcome.error) : null;
  tell(trace, 'memory', {
    status: failure === null ? 'ok' : 'failed',
    sentence:
      failure === null
        ? `An answer in memory is valid until ${until}`
        : `A failure in memory is valid until ${until}: ${failure.sentence}`,
    detail: { storedTs, expiresTs, hits, ...failure?.detail },
  });
}

/** SPEC §4.7.3 */
export function tellStored(
  trace: Trace,
  stored: StoredPreview | null,
  { usable, ms }: { usable: boolean; ms: number },
): void {
  if (stored === null)
    return tell(trace, 'stored', { status: 'ok', ms, sentence: 'No preview is stored for this URL.' });
  const { expiresTs, responseCode, createdTs } = stored;
  const until = new Date(expiresTs).toISOString();
  const sentence = usable
    ? `The stored preview is used, valid until ${until}`
    : `The stored preview is not used: status ${responseCode}, valid until ${until}`;
  tell(trace, 'stored', { status: 'ok', ms, sentence, detail: { createdTs, expiresTs, responseCode } });
}

/** SPEC §4.7.7: what the page gave. */
export function tellPage(trace: Trace, page: PageExtract | null, startMs: number): void {
  if (page === null) {
    const sentence = 'The page is empty, or its charset is unknown.';
    const detail = { reason: 'page_unreadable' };
    tell(trace, 'decode', { status: 'failed', ms: msSince(startMs), sentence, detail });
    return;
  }
  const { charset, decodeMs, openGraph, images, interstitial } = page;
  const sentence = `The charset is ${charset}`;
  tell(trace, 'decode', { status: 'ok', ms: decodeMs, sentence, detail: { charset } });
  const ms = Math.max(0, msSince(startMs) - decodeMs);
  if (interstitial !== null) {
    const detail = { reason: 'wall', wall: interstitial };
    const what = `This is a ${interstitial} page, not the requested page`;
    tell(trace, 'parse', { status: 'warning', ms, sentence: what, detail });
    return;
  }
  const origins = [...page.origins].map(([key, origin]) => [`from ${key}`, origin] as const);
  tell(trace, 'parse', {
    status: 'ok',
    ms,
    sentence: `${counted(openGraph.size, 'value')} and ${counted(images.length, 'image candidate')}`,
    detail: { values: openGraph.size, pictures: images.length, ...Object.fromEntries(origins) },
  });
}

/** SPEC §4.7.6: what the head of a stored image says; its thumbnails follow the answer. */
export function tellImage(trace: Trace, { sniffedType, width, height }: NewMedia): void {
  if (width !== null && height !== null) {
    const sentence = `Thumbnails follow for an image of ${width} × ${height} pixels`;
    return tell(trace, 'thumbnails', { status: 'ok', sentence, detail: { width, height } });
  }
  const what =
    sniffedType === null ? 'The format of the image is unknown' : `An image of type ${sniffedType}`;
  const sentence = `${what}: it cannot be decoded or is too large`;
  tell(trace, 'thumbnails', { status: 'warning', sentence, detail: { reason: 'picture_undecoded' } });
}

/** Tells of one part of a preview that has a download of its own. */
export function tellPart(trace: Trace, name: PreviewStage, about: TraceStep['detail'] = {}) {
  trace.begin?.(name);
  const startMs = performance.now();
  const end = (status: TraceStep['status'], sentence: string, detail: TraceStep['detail'] = {}): void =>
    tell(trace, name, { status, sentence, ms: msSince(startMs), detail: { ...about, ...detail } });
  return {
    end,
    fail: (status: 'warning' | 'failed', what: string, error: unknown) => {
      const { sentence, detail } = failureOf(error);
      end(status, `${what}: ${sentence}`, detail);
    },
  };
}
