import { HOUR_MS, type Clock } from '../base/clock.js';
import { ApiError } from '../base/errors/api-error.js';
import { isStoreError } from '../store/store-errors.js';
import { MAX_REDIRECTS } from './download/http-client.js';
import type { ExtractPage, PageExtract } from './extract/extract-page.js';
import { isLoginTitle } from './extract/interstitial.js';
import type { OpenGraph } from './extract/values.js';
import { withoutFragment } from '../base/text/url.js';
import type { OembedData } from './oembed/convert-oembed.js';
import { noteMissing, UNRESOLVED_MS, type PreviewJob } from './build/job.js';
import type { OembedAnswers } from './build/oembed.js';
import type { PageImages, PreviewTargets, Target } from './build/targets.js';
import { msSince } from './build/preview-trace.js';

export interface PreviewBuilderOptions {
  targets: PreviewTargets;
  images: PageImages;
  oembed: OembedAnswers;
  extraction: 'standard' | 'enhanced';
  extractPage: ExtractPage;
  clock: Clock;
}

/** What a preview was made of: a page, an image, an oEmbed answer instead of or beside the page. */
export type PreviewSource = 'html' | 'image' | 'oembed_url' | 'oembed_discovered' | 'other';

interface Content {
  openGraph: OpenGraph;
  source: PreviewSource;
  /** The part of it that an oEmbed answer stated; `null`: there was no answer. */
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
    const endpoint = oembed.providers.addressFor(job.url);
    if (endpoint !== null) job.trace?.tell('oembed_lookup', `Requesting ${endpoint} instead of the page`);
    // §4.7.5: the target is downloaded and stored; a page may lead on.
    const isOembed = endpoint !== null;
    const arrival = await this.#arrive(endpoint ?? job.url, { isOembed, job }).catch(
      async (error: unknown) => {
        const fallback = !isOembed && isRefusal(error) ? await this.#askRegistry(job) : null;
        if (fallback === null) throw error;
        return fallback;
      },
    );
    const { target } = arrival;
    try {
      // §4.7.6 to §4.7.10: what it says depends on its type.
      const content = arrival.content ?? (await this.#contentOf(arrival, job));
      // §4.7.11: an author stands in for a missing title.
      if (!hasText(content.openGraph, 'og:title')) addAuthor(content, job);
      return { ...builtOf(target, content, job), downloadTs };
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

  /** The page or image that another page leads to; `null` when it fails, is neither or only an obstacle. */
  async #follow(url: string, job: PreviewJob): Promise<Arrival | null> {
    const part = job.trace?.part('redirects', url);
    try {
      const target = await this.options.targets.fetch(url, { isOembed: false, stage: 'redirect', job });
      const page = await this.#readPage(target, job);
      target.release();
      if (page?.interstitial !== null && target.kind !== 'image') {
        part?.end('warning', 'is where the page redirects to; it is neither a page nor an image');
        return null;
      }
      part?.end('ok', 'is where the page redirects to');
      return { target, page };
    } catch (error) {
      if (!(error instanceof ApiError) || job.signal.aborted) throw error;
      part?.fail('warning', error);
      noteMissing(job.missing, error);
      return null;
    }
  }

  /** Decodes and parses a page, whose body is let go of then; `null` for what is not a page or cannot be decoded. */
  async #readPage(target: Target, job: PreviewJob): Promise<PageExtract | null> {
    const { kind, body, contentType, finalUrl: url, headers, release } = target;
    if (kind !== 'page') return null;
    const { extraction: mode, extractPage } = this.options;
    const { url: requestedUrl, client, signal } = job;
    job.trace?.begin('decode');
    const startMs = performance.now();
    try {
      const page = await extractPage(
        { body, contentType, url, requestedUrl, headers },
        { mode, client, signal, mayTake: true },
      );
      job.trace?.page(page, msSince(startMs));
      return page;
    } finally {
      release();
    }
  }

  /**
   * What the oEmbed endpoint says that the public registry knows for a page that says nothing, or whose site refuses
   * us. `null`: there is none, it fails, or its body is not oEmbed, as of a host that was sold; that changes nothing.
   */
  async #askRegistry(job: PreviewJob): Promise<(Arrival & { content: Content }) | null> {
    const endpoint = await this.options.oembed.fallbackFor(job.url);
    if (endpoint === null) return null;
    job.trace?.tell('oembed_lookup', `The page is empty or refused us: requesting ${endpoint}`);
    const target = await this.options.targets
      .fetch(endpoint, { isOembed: true, job })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError || isStoreError(error))) throw error;
        noteMissing(job.missing, error);
        return null;
      });
    if (target === null) return null;
    try {
      const content = target.kind === 'oembed' ? await this.#oembedContent(target, job) : nothing('other');
      return content.openGraph.size === 0 ? null : { target, page: null, content };
    } finally {
      target.release();
    }
  }

  async #contentOf({ target, page }: Arrival, job: PreviewJob): Promise<Content> {
    // §4.7.6
    if (target.kind === 'image') {
      const openGraph: OpenGraph = new Map([['og:description', target.media.uploadName]]);
      this.options.images.show(openGraph, target.media);
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
    if (page.interstitial !== null) return (await this.#askRegistry(job))?.content ?? nothing('html');
    const [advertised] = page.oembedUrls;
    const oembed =
      advertised === undefined ? null : await this.options.oembed.discover(advertised, { baseUrl, job });
    const fallback = oembed === null && statesNothing(page) ? await this.#askRegistry(job) : null;
    if (fallback !== null && (isEmpty(page) || isTitled(fallback.content))) return fallback.content;
    const openGraph: OpenGraph = new Map(page.openGraph);
    // An author outranks a title that was made of the page's text (§4.7.11).
    if ((oembed?.authorName ?? null) !== null && page.origins.get('og:title') === 'text:title')
      openGraph.set('og:title', null);
    for (const [key, value] of oembed?.openGraph ?? []) openGraph.set(key, value);
    // An oEmbed image wins; the page's own ones stand behind it.
    await this.options.images.addTo(openGraph, [...imagesOf(oembed), ...page.images], job);
    return { openGraph, source: oembed === null ? 'html' : 'oembed_discovered', oembed };
  }

  /** SPEC §4.7.8: a body that is not oEmbed yields nothing. */
  async #oembedContent(target: Target, job: PreviewJob): Promise<Content> {
    const oembed = await this.options.oembed.read(target, { baseUrl: target.finalUrl, job });
    if (oembed === null) return nothing('oembed_url');
    const openGraph: OpenGraph = new Map(oembed.openGraph);
    await this.options.images.addTo(openGraph, imagesOf(oembed), job);
    return { openGraph, source: 'oembed_url', oembed };
  }
}

export type BuiltPreview = ReturnType<typeof builtOf> & { downloadTs: number };

function builtOf(target: Target, { openGraph, source, oembed }: Content, { missing }: PreviewJob) {
  const { status, etag, finalUrl, sizeBytes, media } = target;
  const longestMs = missing.isUnresolved ? UNRESOLVED_MS : Infinity;
  return {
    openGraph,
    mediaId: media.mediaId,
    responseCode: status,
    etag,
    /** How long the preview is good for; may be 0 by an oEmbed cache age (SPEC §4.7.13). */
    validityMs: Math.min(oembed?.cacheAgeMs ?? HOUR_MS, longestMs),
    source,
    /** Whether image or oEmbed answer are missing for a reason of this server's own: not to be kept. */
    isCutShort: missing.isCutShort,
    /** Whether they are missing because a host could not be resolved: good for a minute only. */
    isIncomplete: missing.isUnresolved,
    finalUrl,
    downloadedBytes: sizeBytes,
    oembedKeys: [...(oembed?.openGraph.keys() ?? [])],
  };
}

/** Not 404 and the like: a page that is not there has no oEmbed either. */
const REFUSALS = new Set([401, 403, 429, 451, 503]);

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && REFUSALS.has(error.originStatus ?? 0);
}

/** SPEC §4.7.11 */
function addAuthor({ openGraph, oembed }: Content, { trace }: PreviewJob): void {
  const author = oembed?.authorName ?? null;
  if (oembed === null || author === null) return;
  openGraph.set('og:title', author);
  oembed.openGraph.set('og:title', author);
  trace?.tell('title_fallback', 'The title is the author from the oEmbed response.');
}

function nothing(source: PreviewSource): Content {
  return { openGraph: new Map(), source, oembed: null };
}

function imagesOf(oembed: OembedData | null): string[] {
  const image = oembed?.openGraph.get('og:image');
  return typeof image === 'string' && image !== '' ? [image] : [];
}

function isTitled({ openGraph, oembed }: Content): boolean {
  return hasText(openGraph, 'og:title') || (oembed?.authorName ?? null) !== null;
}

/** A page that says nothing at all, as pages made by script do; icons are the site's, and stand behind all images. */
function isEmpty(page: PageExtract): boolean {
  const said = ['og:title', 'og:description'].some((key) => hasText(page.openGraph, key));
  return !said && (page.images.length === 0 || page.origins.get('og:image') === 'icon');
}

/** Where values come from that no tag states. */
const UNSTATED = /^(?:heading|text):|^(?:img|icon)$/;

/** A page of which no tag names title, text or image, or that asks to log in: a registry may know more. */
function statesNothing({ origins, openGraph }: PageExtract): boolean {
  const stated = ['og:title', 'og:description', 'og:image'].filter((key) => origins.has(key));
  return (
    stated.every((key) => UNSTATED.test(origins.get(key) ?? '')) ||
    isLoginTitle(String(openGraph.get('og:title')))
  );
}

function hasText(openGraph: OpenGraph, key: string): boolean {
  return (openGraph.get(key) ?? '') !== '';
}
