import type { PageExtract } from '../extract/extract-page.js';
import { counted } from '../../base/text/strings.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { DownloadTrace, failureOf } from '../download/download-trace.js';
import type { SavedMedia } from '../media/media-store.js';
import type { PreviewCacheEntry } from '../pipeline/preview-cache.js';
import type { StoredPreview } from '../pipeline/preview-store.js';

/** Stages of a preview in the order they come, and what operators call them. */
const STAGES = {
  rules: 'URL rules',
  memory: 'Memory cache',
  stored: 'Stored previews',
  oembed_lookup: 'oEmbed look-up',
  dns: 'Name resolution',
  address: 'Address check',
  connect: 'Connect',
  tls: 'TLS',
  redirects: 'Redirects',
  download: 'Download',
  decode: 'Decode',
  parse: 'Parse',
  oembed_discovery: 'oEmbed discovery',
  picture: 'Image',
  thumbnails: 'Thumbnails',
  title_fallback: 'Title fallback',
  prune: 'Prune',
  store: 'Store',
} as const;

type PreviewStage = keyof typeof STAGES;

export const STAGE_TITLES: ReadonlyMap<string, string> = new Map(Object.entries(STAGES));

const SHOWN_LENGTH = 200;

type Outcome = Partial<Pick<TraceStep, 'status' | 'detail' | 'ms'>>;

/** Tells an operator who watches how a preview comes about. */
export class PreviewTrace {
  constructor(private readonly trace: Trace) {}

  /** Without `ms` a stage that takes no time worth measuring. */
  tell(name: PreviewStage, sentence: string, outcome: Outcome = {}): void {
    this.trace.step({ name, sentence, status: 'ok', ms: 0, ...outcome });
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
    const { sentence, detail } = failureOf(error);
    this.tell('rules', sentence, { status: 'failed', detail });
  }

  /** SPEC §4.7.2 */
  memory(entry: PreviewCacheEntry | null): void {
    const outcome = entry?.outcome ?? null;
    if (entry === null || outcome === null) return this.tell('memory', 'No answer is in memory.');
    const until = `in memory is valid until ${new Date(entry.expiresTs).toISOString()}`;
    if (!('error' in outcome)) return this.tell('memory', `An answer ${until}`);
    const { sentence, detail } = failureOf(outcome.error);
    this.tell('memory', `A failure ${until}: ${sentence}`, { status: 'failed', detail });
  }

  /** SPEC §4.7.3 */
  stored(stored: StoredPreview | null, { usable, ms }: { usable: boolean; ms: number }): void {
    const state =
      stored === null
        ? 'No preview is stored for this URL.'
        : `The stored preview is ${usable ? '' : 'not '}used: status ${stored.responseCode}, ` +
          `valid until ${new Date(stored.expiresTs).toISOString()}`;
    this.tell('stored', state, { ms });
  }

  /** SPEC §4.7.7: what the page gave. */
  page(page: PageExtract | null, ms: number): void {
    if (page === null) {
      const sentence = 'The page is empty or not text, or its charset is unknown.';
      return this.tell('decode', sentence, { status: 'failed', ms, detail: { reason: 'page_unreadable' } });
    }
    const { charset, decodeMs, openGraph, images, interstitial } = page;
    this.tell('decode', `The charset is ${charset}`, { ms: decodeMs });
    const parsed = { ms: Math.max(0, ms - decodeMs) };
    if (interstitial !== null) {
      const sentence = `This is a ${interstitial} page, not the requested page`;
      const detail = { reason: 'wall', wall: interstitial };
      return this.tell('parse', sentence, { ...parsed, status: 'warning', detail });
    }
    const sentence = `${counted(openGraph.size, 'value')} and ${counted(images.length, 'image candidate')}`;
    const detail = Object.fromEntries([...page.origins].map(([key, origin]) => [`from ${key}`, origin]));
    this.tell('parse', sentence, { ...parsed, detail });
  }

  /** SPEC §4.7.6: what the head of a stored image says; its thumbnails follow the answer. */
  image({ sniffedType, width, height, isTooLarge }: SavedMedia): void {
    if (width !== null && height !== null) {
      const sentence = `Thumbnails of the image (${width} × ${height} pixels) are made after the answer`;
      return this.tell('thumbnails', sentence);
    }
    const [sentence, reason] =
      sniffedType === 'image/svg+xml'
        ? ['An SVG image has no thumbnails', 'picture_svg']
        : isTooLarge
          ? ['The image has more pixels than max_image_pixels, so it gets no thumbnails', 'picture_too_large']
          : [`An image of ${sniffedType ?? 'an unknown format'} cannot be decoded`, 'picture_undecoded'];
    this.tell('thumbnails', sentence, { status: 'warning', detail: { reason } });
  }

  /** One part of a preview that takes a while; `what`: the rest of a sentence that begins with the address. */
  part(name: PreviewStage, url: string | null = null) {
    this.begin(name);
    const startMs = performance.now();
    const shown = url === null || url.length <= SHOWN_LENGTH ? url : `${url.slice(0, SHOWN_LENGTH)}…`;
    const end = (status: TraceStep['status'], what: string, detail: TraceStep['detail'] = {}): void => {
      const about = shown === null ? detail : { url: shown, ...detail };
      const sentence = shown === null ? what : `${shown} ${what}`;
      this.tell(name, sentence, { status, ms: msSince(startMs), detail: about });
    };
    const fail = (status: 'warning' | 'failed', error: unknown): void => {
      const { sentence, detail } = failureOf(error);
      end(status, `failed: ${sentence}`, detail);
    };
    return { end, fail };
  }
}

export function msSince(startMs: number): number {
  return Math.round(performance.now() - startMs);
}
