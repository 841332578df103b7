import { isStoreError } from '../../store/store-errors.js';
import { HOUR_MS, type Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { PageExtract } from '../extract/extract-page.js';
import { isLoginTitle } from '../extract/interstitials/interstitial-titles.js';
import type { OpenGraph } from '../extract/open-graph.js';
import type { OembedData } from '../oembed/convert-oembed.js';
import { UNRESOLVED_MS } from './failure-lifetime.js';
import { bothLacks, lackOf, NO_LACK, type Lack } from './steps/lack.js';
import type { ImageStep } from './steps/image-step.js';
import type { OembedStep } from './steps/oembed-step.js';
import { attachImage, describeImage, dropImageFacts, type ImageKeys } from './steps/open-graph-image.js';
import type { BuiltPreview, PreviewJob, PreviewSource } from './preview-job.js';
import { isHtmlType, type Arrival, type PageStep } from './steps/page-step.js';
import { tell, tellLookup, tellTitle } from './steps/preview-steps.js';
import { isImageType, type Target, type TargetStep } from './steps/target-step.js';

/** What the builder is built from. */
export interface PreviewBuilderOptions {
  targets: TargetStep;
  pages: PageStep;
  images: ImageStep;
  oembed: OembedStep;
  clock: Clock;
  keys: ImageKeys;
}

/** What one kind of target holds. */
interface TargetContent {
  openGraph: OpenGraph;
  authorName: string | null;
  cacheAgeMs: number | null;
  source: PreviewSource;
  /** What an oEmbed answer gave. */
  oembed: OpenGraph | null;
  lack: Lack;
}

/** What a fallback gave. */
interface Fallback<Given> {
  /** `null`: there is none, or it failed. */
  given: Given | null;
  lack: Lack;
}

const NO_FALLBACK = { given: null, lack: NO_LACK };

/** Makes one preview: the rules of SPEC §4.7.4 to §4.7.11 from top to bottom. */
export class PreviewBuilder {
  constructor(private readonly options: PreviewBuilderOptions) {}

  /** Downloads, stores, extracts. Rejects with the errors of SPEC §7. */
  async build(job: PreviewJob): Promise<BuiltPreview> {
    const downloadTs = this.options.clock.now();
    const endpoint = this.options.oembed.endpointFor(job.url);
    tellLookup(job.trace, endpoint);
    const arrival =
      endpoint === null ? await this.#fetchPage(job) : await this.#arrive(endpoint, { isOembed: true, job });
    const { target } = arrival;
    try {
      const read = await this.#contentOf(arrival, job);
      const titleWas = addTitle(read);
      tellTitle(job.trace, titleWas);
      const { openGraph, cacheAgeMs, source, oembed, lack } = read;
      const { status, etag, finalUrl, sizeBytes } = target.head;
      const oembedKeys = [...(oembed?.keys() ?? [])];
      return {
        openGraph,
        mediaId: target.media.mediaId,
        responseCode: status,
        etag,
        downloadTs,
        validityMs: Math.min(cacheAgeMs ?? HOUR_MS, lack.isUnresolved ? UNRESOLVED_MS : Infinity),
        source,
        isCutShort: lack.isCutShort,
        isIncomplete: lack.isUnresolved,
        finalUrl,
        downloadedBytes: sizeBytes,
        oembedKeys: titleWas === 'author' ? [...oembedKeys, 'og:title'] : oembedKeys,
      };
    } finally {
      target.drop();
    }
  }

  /** The page; where a site turns us away, what its oEmbed endpoint says instead. */
  async #fetchPage(job: PreviewJob): Promise<Arrival & { refusal?: unknown }> {
    try {
      return await this.#arrive(job.url, { isOembed: false, job });
    } catch (error) {
      const { given } = isTurnedAway(error) ? await this.#fetchFallback(job) : NO_FALLBACK;
      if (given === null) throw error;
      return { target: given, page: null, refusal: error };
    }
  }

  async #arrive(url: string, { isOembed, job }: { isOembed: boolean; job: PreviewJob }): Promise<Arrival> {
    return this.options.pages.arrive(await this.options.targets.fetch(url, { isOembed, job }), job);
  }

  /** The answer of the oEmbed endpoint that the public registry knows for the URL. */
  async #fetchFallback(job: PreviewJob): Promise<Fallback<Target>> {
    const endpoint = await this.options.oembed.fallbackFor(job.url);
    if (endpoint === null) return NO_FALLBACK;
    const sentence = `The page says nothing or turned us away: asking ${endpoint}`;
    tell(job.trace, 'oembed_lookup', { status: 'ok', sentence });
    try {
      const given = await this.options.targets.fetch(endpoint, { isOembed: true, job });
      return { given, lack: NO_LACK };
    } catch (error) {
      // A fallback that fails changes nothing: the reader gets what there was before it.
      if (error instanceof ApiError || isStoreError(error)) return { given: null, lack: lackOf(error) };
      throw error;
    }
  }

  /** `refusal`: how the site turned us away; it stands if the target, its endpoint, says nothing. */
  async #contentOf(
    { target, page, refusal }: Arrival & { refusal?: unknown },
    job: PreviewJob,
  ): Promise<TargetContent> {
    if (refusal !== undefined) {
      const given = await this.#oembedOf(target, job);
      if (given === null) throw refusal;
      return given;
    }
    const { contentType } = target.head;
    if (isImageType(contentType)) {
      const openGraph = describeImage(target.media, this.options.keys);
      return { ...nothing(), openGraph, source: 'image' };
    }
    if (isHtmlType(contentType)) return this.#pageContent(page, target.head.finalUrl, job);
    if (target.isOembed && isJsonType(contentType)) return this.#readOembed(target, job);
    return nothing();
  }

  /** SPEC §4.7.7 */
  async #pageContent(page: PageExtract | null, finalUrl: string, job: PreviewJob): Promise<TargetContent> {
    if (page === null) return nothing('html');
    if (page.interstitial !== null) {
      const { given, lack } = await this.#readFallback(job);
      return given ?? { ...nothing('html'), lack };
    }
    const { data: oembed, ...found } = await this.options.oembed.discover(page.oembedUrls, {
      baseUrl: finalUrl,
      job,
    });
    const isAsked = oembed === null && isUntold(page);
    const { given, lack: missed } = isAsked ? await this.#readFallback(job) : NO_FALLBACK;
    if (given !== null && (isBare(page) || isTitled(given))) return given;
    const openGraph = overlaid(page, oembed);
    // An oEmbed image wins; the page's own ones stand behind it.
    const advertised = imageOf(oembed?.openGraph);
    const images = advertised === null ? page.images : [advertised, ...page.images];
    const { imageFacts } = page;
    const lack = await this.#addImage(openGraph, { candidates: images, facts: imageFacts }, job);
    return {
      openGraph,
      lack: [found.lack, missed].reduce(bothLacks, lack),
      authorName: oembed?.authorName ?? null,
      cacheAgeMs: oembed?.cacheAgeMs ?? null,
      source: oembed === null ? 'html' : 'oembed_discovered',
      oembed: oembed?.openGraph ?? null,
    };
  }

  /** SPEC §4.7.8: a body that is no oEmbed yields nothing. */
  async #readOembed(target: Target, job: PreviewJob): Promise<TargetContent> {
    const about = { url: job.url, baseUrl: target.head.finalUrl, asker: job.asker };
    const oembed = await target.read((body) => this.options.oembed.convert(body, about));
    return oembed === null ? nothing('oembed_url') : this.#fromOembed(oembed, job);
  }

  async #fromOembed(oembed: OembedData, job: PreviewJob): Promise<TargetContent> {
    const openGraph: OpenGraph = new Map(oembed.openGraph);
    const image = imageOf(oembed.openGraph);
    const candidates = image === null ? [] : [image];
    const lack = await this.#addImage(openGraph, { candidates, facts: new Map() }, job);
    const { authorName, cacheAgeMs, openGraph: said } = oembed;
    return { openGraph, authorName, cacheAgeMs, lack, source: 'oembed_url', oembed: said };
  }

  /** SPEC §4.7.9: whatever the page said of its image's address and size is gone, a stored one takes its place. */
  async #addImage(
    openGraph: OpenGraph,
    { candidates, facts }: { candidates: readonly string[]; facts: PageExtract['imageFacts'] },
    job: PreviewJob,
  ): Promise<Lack> {
    dropImageFacts(openGraph, this.options.keys);
    if (candidates.length === 0) {
      tell(job.trace, 'picture', { status: 'skipped', sentence: 'No image is named.' });
    }
    const { image, lack } = await this.options.images.precache(candidates, job);
    if (image !== null) {
      for (const [key, value] of facts.get(image.url) ?? []) openGraph.set(key, value);
      attachImage(openGraph, image.media, this.options.keys);
    }
    return lack;
  }

  async #readFallback(job: PreviewJob): Promise<Fallback<TargetContent>> {
    const { given: target, lack } = await this.#fetchFallback(job);
    if (target === null) return { given: null, lack };
    try {
      const given = await this.#oembedOf(target, job);
      return given === null ? NO_FALLBACK : { given, lack };
    } finally {
      target.drop();
    }
  }

  /** Of a fallback; `null` for a body that is no oEmbed: a host that was sold answers, too. */
  async #oembedOf(target: Target, job: PreviewJob): Promise<TargetContent | null> {
    if (!isJsonType(target.head.contentType)) return null;
    const given = await this.#readOembed(target, job);
    return given.openGraph.size === 0 ? null : given;
  }
}

/** Not 404 and the like: a page that is not there has no oEmbed either. */
const TURNED_AWAY = new Set([401, 403, 429, 451, 503]);

function isTurnedAway(error: unknown): boolean {
  return error instanceof ApiError && TURNED_AWAY.has(error.originStatus ?? 0);
}

/** SPEC §4.7.11: what there was to take as title. */
function addTitle({ openGraph, authorName }: TargetContent): 'there' | 'author' | 'nothing' {
  if (hasText(openGraph, 'og:title')) return 'there';
  if (authorName === null) return 'nothing';
  openGraph.set('og:title', authorName);
  return 'author';
}

/** What a page says with an oEmbed answer laid over it; its author outranks a title made of text (SPEC §4.7.11). */
function overlaid(page: PageExtract, oembed: OembedData | null): OpenGraph {
  const merged: OpenGraph = new Map([...page.openGraph, ...(oembed?.openGraph ?? [])]);
  const isTitled = oembed !== null && (oembed.authorName !== null || hasText(oembed.openGraph, 'og:title'));
  if (!isTitled || page.origins.get('og:title') !== 'text:title') return merged;
  if (!hasText(oembed.openGraph, 'og:title')) merged.set('og:title', null);
  if (!hasText(merged, 'og:description')) merged.set('og:description', page.textBesideOembed);
  return merged;
}

function nothing(source: PreviewSource = 'other'): TargetContent {
  const openGraph: OpenGraph = new Map();
  return { openGraph, authorName: null, cacheAgeMs: null, source, oembed: null, lack: NO_LACK };
}

function imageOf(openGraph: OpenGraph | undefined): string | null {
  const image = openGraph?.get('og:image');
  return typeof image === 'string' && image !== '' ? image : null;
}

/** A page that says nothing at all, as pages made by script do; icons are the site's, and stand behind all images. */
function isBare(page: PageExtract): boolean {
  const said = ['og:title', 'og:description'].some((key) => hasText(page.openGraph, key));
  return !said && (page.images.length === 0 || page.origins.get('og:image') === 'icon');
}

/** Where values come from that no tag states. */
const UNSTATED = /^(?:heading|text):|^(?:img|icon)$/;

/** A page of which no tag names title, text or image, or that asks to log in: a registry may know more. */
function isUntold({ origins, openGraph }: PageExtract): boolean {
  const stated = ['og:title', 'og:description', 'og:image'].filter((key) => origins.has(key));
  return (
    stated.every((key) => UNSTATED.test(origins.get(key) ?? '')) ||
    isLoginTitle(String(openGraph.get('og:title')))
  );
}

function isTitled({ openGraph, authorName }: TargetContent): boolean {
  return hasText(openGraph, 'og:title') || authorName !== null;
}

function hasText(openGraph: OpenGraph, key: string): boolean {
  return (openGraph.get(key) ?? '') !== '';
}

function isJsonType(contentType: string): boolean {
  return /^application\/json/i.test(contentType);
}
