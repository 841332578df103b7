import type { PageExtract } from '../extract/extract-page.js';
import { counted } from '../../base/text/strings.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { DownloadTrace, failureOf } from '../download/download-trace.js';
import type { SavedMedia } from '../media/media-store.js';
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

const SHOWN_LENGTH = 200;

type Outcome = Pick<TraceStep, 'status' | 'sentence'> & Partial<Omit<TraceStep, 'name'>>;

/** Tells an operator who watches how a preview comes about. */
export class PreviewTrace {
  constructor(private readonly trace: Trace) {}

  /** Without `ms` a stage that takes no time worth measuring. */
  tell(name: PreviewStage, outcome: Outcome): void {
    this.trace.step({ ms: 0, name, ...outcome });
  }

  begin(name: PreviewStage): void {
    this.trace.begin?.(name);
  }

  /** `isOptional`: the preview goes on without it. */
  download(isOptional: boolean): DownloadTrace {
    return new DownloadTrace(this.trace, isOptional ? 'warning' : 'failed');
  }

  /** SPEC §4.7.1 */
  refused(error: unknown): void {
    this.tell('rules', { status: 'failed', ...failureOf(error) });
  }

  /** SPEC §4.7.2 */
  memory(entry: PreviewCacheEntry | null): void {
    if (entry === null || entry.outcome === null) {
      const sentence =
        entry === null
          ? 'No answer is in memory.'
          : 'A client is waiting for the same preview; this try runs separately.';
      return this.tell('memory', { status: 'ok', sentence });
    }
    const { outcome, storedTs, expiresTs, hits } = entry;
    const until = new Date(expiresTs).toISOString();
    const failure = 'error' in outcome ? failureOf(outcome.error) : null;
    this.tell('memory', {
      status: failure === null ? 'ok' : 'failed',
      sentence:
        failure === null
          ? `An answer in memory is valid until ${until}`
          : `A failure in memory is valid until ${until}: ${failure.sentence}`,
      detail: { storedTs, expiresTs, hits, ...failure?.detail },
    });
  }

  /** SPEC §4.7.3 */
  stored(stored: StoredPreview | null, { usable, ms }: { usable: boolean; ms: number }): void {
    if (stored === null)
      return this.tell('stored', { status: 'ok', ms, sentence: 'No preview is stored for this URL.' });
    const { expiresTs, responseCode, createdTs } = stored;
    const until = new Date(expiresTs).toISOString();
    const sentence = usable
      ? `The stored preview is used, valid until ${until}`
      : `The stored preview is not used: status ${responseCode}, valid until ${until}`;
    this.tell('stored', { status: 'ok', ms, sentence, detail: { createdTs, expiresTs, responseCode } });
  }

  /** SPEC §4.7.7: what the page gave. */
  page(page: PageExtract | null, ms: number): void {
    if (page === null) {
      const sentence = 'The page is empty or not text, or its charset is unknown.';
      const detail = { reason: 'page_unreadable' };
      this.tell('decode', { status: 'failed', ms, sentence, detail });
      return;
    }
    const { charset, decodeMs, openGraph, images, interstitial } = page;
    const sentence = `The charset is ${charset}`;
    this.tell('decode', { status: 'ok', ms: decodeMs, sentence, detail: { charset } });
    const parseMs = Math.max(0, ms - decodeMs);
    if (interstitial !== null) {
      const detail = { reason: 'wall', wall: interstitial };
      const what = `This is a ${interstitial} page, not the requested page`;
      this.tell('parse', { status: 'warning', ms: parseMs, sentence: what, detail });
      return;
    }
    const origins = [...page.origins].map(([key, origin]) => [`from ${key}`, origin] as const);
    this.tell('parse', {
      status: 'ok',
      ms: parseMs,
      sentence: `${counted(openGraph.size, 'value')} and ${counted(images.length, 'image candidate')}`,
      detail: { values: openGraph.size, pictures: images.length, ...Object.fromEntries(origins) },
    });
  }

  /** SPEC §4.7.6: what the head of a stored image says; its thumbnails follow the answer. */
  image({ sniffedType, width, height, isTooLarge }: SavedMedia): void {
    if (width !== null && height !== null) {
      const sentence = `Thumbnails of the image (${width} × ${height} pixels) are made after the answer`;
      return this.tell('thumbnails', { status: 'ok', sentence, detail: { width, height } });
    }
    if (sniffedType === 'image/svg+xml') {
      const sentence = 'An SVG image has no thumbnails';
      return this.tell('thumbnails', { status: 'warning', sentence, detail: { reason: 'picture_svg' } });
    }
    if (isTooLarge) {
      const sentence = 'The image has more pixels than max_image_pixels, so it gets no thumbnails';
      return this.tell('thumbnails', {
        status: 'warning',
        sentence,
        detail: { reason: 'picture_too_large' },
      });
    }
    const what =
      sniffedType === null ? 'The format of the image is unknown' : `An image of type ${sniffedType}`;
    const sentence = `${what}: it cannot be decoded`;
    this.tell('thumbnails', { status: 'warning', sentence, detail: { reason: 'picture_undecoded' } });
  }

  /** One part of a preview that takes a while, such as a download of its own. */
  part(name: PreviewStage, url: string | null = null): TracedPart {
    this.begin(name);
    const startMs = performance.now();
    const shown = url === null || url.length <= SHOWN_LENGTH ? url : `${url.slice(0, SHOWN_LENGTH)}…`;
    const about: TraceStep['detail'] = shown === null ? {} : { url: shown };
    const start = shown === null ? '' : `${shown} `;
    const end = (status: TraceStep['status'], what: string, detail: TraceStep['detail'] = {}): void =>
      this.tell(name, {
        status,
        sentence: start + what,
        ms: msSince(startMs),
        detail: { ...about, ...detail },
      });
    return {
      end,
      fail: (status, error) => {
        const { sentence, detail } = failureOf(error);
        end(status, `failed: ${sentence}`, detail);
      },
    };
  }
}

export interface TracedPart {
  /** `what`: the rest of a sentence that begins with the address. */
  end: (status: TraceStep['status'], what: string, detail?: TraceStep['detail']) => void;
  fail: (status: 'warning' | 'failed', error: unknown) => void;
}

export function msSince(startMs: number): number {
  return Math.round(performance.now() - startMs);
}
