import { HOUR_MS, type Clock } from '../base/clock.js';
import { ApiError } from '../base/errors/api-error.js';
import { isStoreError } from '../store/store-errors.js';
import { MAX_REDIRECTS } from './download/addresses.js';
import type { ExtractPage, PageExtract } from './extract/extract-page.js';
import type { OpenGraph } from './extract/open-graph.js';
import { withoutFragment } from './extract/page-address.js';
import type { OembedData } from './oembed/convert-oembed.js';
import { UNRESOLVED_MS, type BuiltPreview, type PreviewJob, type PreviewSource } from './build/job.js';
import { hasText, isBare, isUntold, type OembedAnswers } from './build/oembed.js';
import {
  dropImageFacts,
  setDimensions,
  setImage,
  type ImageKeys,
  type PageImages,
} from './build/page-image.js';
import { tell, tellPage, tellPart } from './build/steps.js';
import type { PreviewTargets, Target } from './build/targets.js';

export interface PreviewBuilderOptions {
  targets: PreviewTargets;
  images: PageImages;
  oembed: OembedAnswers;
  extraction: 'standard' | 'enhanced';
  extractPage: ExtractPage;
  clock: Clock;
  keys: ImageKeys;
}

interface Content {
  openGraph: OpenGraph;
  source: PreviewSource;
  /** What of it an oEmbed answer said; `null`: there is none. */
  oembed: OembedData | null;
}

/** Where a preview arrives, and what it says there; `null` for what is not a page or cannot be read. */
interface Arrival {
  target: Target;
  page: PageExtract | null;
  /** What a fallback said instead. */
  content?: Content;
}

const MAX_REFRESHES = 3;

/** Makes one preview: the rules of SPEC §4.7.4 to §4.7.11 from top to bottom. */
export class PreviewBuilder {
  constructor(private readonly options: PreviewBuilderOptions) {}

  /** Downloads, stores, extracts. Rejects with the errors of SPEC §7. */
  async build(job: PreviewJob): Promise<BuiltPreview> {
    const { clock, oembed } = this.options;
    const downloadTs = clock.now();
    // §4.7.4: an oEmbed provider's address takes the place of the URL.
    const endpoint = oembed.endpointFor(job.url);
    if (endpoint !== null)
      tell(job.trace, 'oembed_lookup', {
        status: 'ok',
        sentence: `Requesting ${endpoint} instead of the page`,
      });
    // §4.7.5: the target is downloaded and stored; a page may lead on.
    const arrival =
      endpoint === null
        ? await this.#arrive(job.url, { isOembed: false, job }).catch((error: unknown) =>
            this.#arriveInstead(error, job),
          )
        : await this.#arrive(endpoint, { isOembed: true, job });
    const { target } = arrival;
    try {
      // §4.7.6 to §4.7.10: what it says depends on its type.
      const content = arrival.content ?? (await this.#contentOf(arrival, job));
      // §4.7.11: an author stands in for a missing title.
      if (!hasText(content.openGraph, 'og:title')) addAuthor(content, job);
      return this.#built(target, { content, downloadTs }, job);
    } finally {
      target.release();
    }
  }

  /**
   * Fetches a target and reads it when it is a page. One that leads on by itself is followed up to three times, as by a
   * redirect, but not to where it has been; it stays when nothing can be read there (SPEC §4.7.14).
   */
  async #arrive(url: string, { isOembed, job }: { isOembed: boolean; job: PreviewJob }): Promise<Arrival> {
    const target = await this.options.targets.fetch(url, { isOembed, job });
    let arrival: Arrival = { target, page: await this.#readPage(target, job) };
    let followed = target.redirects;
    const seen = new Set([withoutFragment(job.url), target.finalUrl]);
    for (let refreshes = 0; refreshes < MAX_REFRESHES; refreshes += 1) {
      const next = arrival.page?.interstitial === null ? arrival.page.refresh : null;
      if (next === null || seen.has(withoutFragment(next))) break;
      const led = await this.#follow(next, job);
      followed += 1 + (led?.target.redirects ?? 0);
      if (led === null || followed > MAX_REDIRECTS) break;
      arrival = led;
      seen.add(withoutFragment(next)).add(led.target.finalUrl);
    }
    return arrival;
  }

  /** The page that another one leads to; `null` when it fails, or is no page or only an obstacle. */
  async #follow(url: string, job: PreviewJob): Promise<Arrival | null> {
    const part = tellPart(job.trace, 'redirects', { to: url });
    part.end('ok', `The page redirects to ${url}`);
    try {
      const target = await this.options.targets.fetch(url, { isOembed: false, stage: 'redirect', job });
      const page = await this.#readPage(target, job);
      target.release();
      return page?.interstitial === null ? { target, page } : null;
    } catch (error) {
      if (!(error instanceof ApiError) || job.signal.aborted) throw error;
      part.fail('warning', 'The redirect of the page failed', error);
      job.missing.note(error);
      return null;
    }
  }

  /** Decodes and parses a page, whose body is let go of then; `null` for what is not a page or cannot be decoded. */
  async #readPage(target: Target, job: PreviewJob): Promise<PageExtract | null> {
    const { kind, body, contentType, finalUrl: url, headers, release } = target;
    if (kind !== 'page') return null;
    const { extraction: mode, extractPage } = this.options;
    const { url: requestedUrl, client, signal } = job;
    job.trace.begin?.('decode');
    const startMs = performance.now();
    try {
      const page = await extractPage(
        { body, contentType, url, requestedUrl, headers: Object.fromEntries(headers) },
        { mode, client, signal, mayTake: true },
      );
      tellPage(job.trace, page, startMs);
      return page;
    } finally {
      release();
    }
  }

  /** What the oEmbed endpoint says that the public registry knows for a page whose site turns us away. */
  async #arriveInstead(refusal: unknown, job: PreviewJob): Promise<Arrival> {
    const target = isTurnedAway(refusal) ? await this.#fetchFallback(job) : null;
    const content = target === null ? null : await this.#fallbackContent(target, job);
    if (target === null || content === null) throw refusal;
    return { target, page: null, content };
  }

  /** `null`: there is no such endpoint, or it fails, which changes nothing: the reader gets what there was before. */
  async #fetchFallback(job: PreviewJob): Promise<Target | null> {
    const endpoint = await this.options.oembed.fallbackFor(job.url);
    if (endpoint === null) return null;
    const sentence = `The page is empty or refused us: requesting ${endpoint}`;
    tell(job.trace, 'oembed_lookup', { status: 'ok', sentence });
    try {
      return await this.options.targets.fetch(endpoint, { isOembed: true, job });
    } catch (error) {
      if (!(error instanceof ApiError || isStoreError(error))) throw error;
      job.missing.note(error);
      return null;
    }
  }

  async #contentOf({ target, page }: Arrival, job: PreviewJob): Promise<Content> {
    // §4.7.6
    if (target.kind === 'image') {
      const openGraph: OpenGraph = new Map([['og:description', target.media.uploadName]]);
      setImage(openGraph, target.media, this.options.keys);
      setDimensions(openGraph, target.media);
      return { openGraph, source: 'image', oembed: null };
    }
    // §4.7.7
    if (target.kind === 'page')
      return page === null ? nothing('html') : this.#pageContent(page, target.finalUrl, job);
    // §4.7.8
    if (target.kind === 'oembed') return this.#oembedContent(target, job);
    // §4.7.10
    return nothing('other');
  }

  /** SPEC §4.7.7: what a page says, with an oEmbed answer that it advertises laid over it. */
  async #pageContent(page: PageExtract, baseUrl: string, job: PreviewJob): Promise<Content> {
    if (page.interstitial !== null) return (await this.#readFallback(job)) ?? nothing('html');
    const oembed = await this.options.oembed.discover(page.oembedUrls, { baseUrl, job });
    const given = oembed === null && isUntold(page) ? await this.#readFallback(job) : null;
    if (given !== null && (isBare(page) || isTitled(given))) return given;
    const openGraph: OpenGraph = new Map(page.openGraph);
    // An author outranks a title that was made of the page's text (§4.7.11).
    if ((oembed?.authorName ?? null) !== null && page.origins.get('og:title') === 'text:title')
      openGraph.set('og:title', null);
    for (const [key, value] of oembed?.openGraph ?? []) openGraph.set(key, value);
    // An oEmbed image wins; the page's own ones stand behind it.
    const advertised = imageOf(oembed);
    const images = advertised === null ? page.images : [advertised, ...page.images];
    await this.#addImage(openGraph, images, job);
    return { openGraph, source: oembed === null ? 'html' : 'oembed_discovered', oembed };
  }

  /** SPEC §4.7.8: a body that is not oEmbed yields nothing. */
  async #oembedContent(target: Target, job: PreviewJob): Promise<Content> {
    const oembed = await this.options.oembed.read(target, { baseUrl: target.finalUrl, job });
    if (oembed === null) return nothing('oembed_url');
    const openGraph: OpenGraph = new Map(oembed.openGraph);
    const image = imageOf(oembed);
    await this.#addImage(openGraph, image === null ? [] : [image], job);
    return { openGraph, source: 'oembed_url', oembed };
  }

  /** SPEC §4.7.9: whatever the page said of its image's address and size is gone, a stored one takes its place. */
  async #addImage(openGraph: OpenGraph, images: readonly string[], job: PreviewJob): Promise<void> {
    const { keys } = this.options;
    const image = await this.options.images.load(images, job);
    dropImageFacts(openGraph, keys, image?.url === images[0]);
    if (image === null) return;
    setDimensions(openGraph, image.media);
    setImage(openGraph, image.media, keys);
  }

  async #readFallback(job: PreviewJob): Promise<Content | null> {
    const target = await this.#fetchFallback(job);
    return target === null ? null : this.#fallbackContent(target, job);
  }

  /** `null` for a body that is not oEmbed: a host that was sold answers, too. */
  async #fallbackContent(target: Target, job: PreviewJob): Promise<Content | null> {
    try {
      const content = target.kind === 'oembed' ? await this.#oembedContent(target, job) : null;
      return content === null || content.openGraph.size === 0 ? null : content;
    } finally {
      target.release();
    }
  }

  #built(
    target: Target,
    { content, downloadTs }: { content: Content; downloadTs: number },
    { missing }: PreviewJob,
  ): BuiltPreview {
    const { openGraph, source, oembed } = content;
    const { status, etag, finalUrl, sizeBytes, media } = target;
    const longestMs = missing.isUnresolved ? UNRESOLVED_MS : Infinity;
    return {
      openGraph,
      mediaId: media.mediaId,
      responseCode: status,
      etag,
      downloadTs,
      validityMs: Math.min(oembed?.cacheAgeMs ?? HOUR_MS, longestMs),
      source,
      isCutShort: missing.isCutShort,
      isIncomplete: missing.isUnresolved,
      finalUrl,
      downloadedBytes: sizeBytes,
      oembedKeys: [...(oembed?.openGraph.keys() ?? [])],
    };
  }
}

/** Not 404 and the like: a page that is not there has no oEmbed either. */
const TURNED_AWAY = new Set([401, 403, 429, 451, 503]);

function isTurnedAway(error: unknown): boolean {
  return error instanceof ApiError && TURNED_AWAY.has(error.originStatus ?? 0);
}

/** SPEC §4.7.11 */
function addAuthor({ openGraph, oembed }: Content, { trace }: PreviewJob): void {
  const author = oembed?.authorName ?? null;
  if (oembed === null || author === null) return;
  openGraph.set('og:title', author);
  oembed.openGraph.set('og:title', author);
  const sentence = 'The title is the author from the oEmbed response.';
  tell(trace, 'title_fallback', { status: 'ok', sentence });
}

function nothing(source: PreviewSource): Content {
  return { openGraph: new Map(), source, oembed: null };
}

function imageOf(oembed: OembedData | null): string | null {
  const image = oembed?.openGraph.get('og:image');
  return typeof image === 'string' && image !== '' ? image : null;
}

function isTitled({ openGraph, oembed }: Content): boolean {
  return hasText(openGraph, 'og:title') || (oembed?.authorName ?? null) !== null;
}
