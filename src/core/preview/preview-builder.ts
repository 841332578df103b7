import type { Clock } from '../clock.js';
import { HOUR_MS } from '../clock.js';
import { ApiError } from '../errors.js';
import { extractPage } from '../extract/extract-page.js';
import type { PageExtract } from '../extract/extract-page.js';
import type { OpenGraph } from '../extract/open-graph.js';
import type { OembedData } from '../oembed/convert-oembed.js';
import type { ImageStep } from './image-step.js';
import type { OembedStep } from './oembed-step.js';
import { attachImage, describeImage } from './open-graph-image.js';
import type { ImageKeys } from './open-graph-image.js';
import type { BuiltPreview, PreviewJob } from './preview-job.js';
import { isImageType } from './target-step.js';
import type { Target, TargetStep } from './target-step.js';

/** What the builder is built from. */
export interface PreviewBuilderOptions {
  targets: TargetStep;
  images: ImageStep;
  oembed: OembedStep;
  clock: Clock;
  keys: ImageKeys;
  extraction: 'standard' | 'enhanced';
}

/** What one kind of target yields. */
interface Yield {
  openGraph: OpenGraph;
  authorName: string | null;
  cacheAgeMs: number | null;
}

/** Makes one preview: the rules of §4.7.4 to §4.7.11 from top to bottom. */
export class PreviewBuilder {
  constructor(private readonly options: PreviewBuilderOptions) {}

  /** Downloads, stores, extracts. Rejects with the errors of §7. */
  async build(job: PreviewJob): Promise<BuiltPreview> {
    const downloadTs = this.options.clock.now();
    const endpoint = this.options.oembed.endpointFor(job.url);
    const target =
      endpoint === null
        ? await this.#fetchPage(job)
        : await this.options.targets.fetch(endpoint, { isOembed: true, job });
    try {
      const { openGraph, authorName, cacheAgeMs } = await this.#read(target, job);
      addTitle(openGraph, authorName);
      return {
        openGraph,
        mediaId: target.media.mediaId,
        responseCode: target.head.status,
        etag: target.head.etag,
        downloadTs,
        validityMs: cacheAgeMs ?? HOUR_MS,
      };
    } finally {
      target.drop();
    }
  }

  /** The page; where a site turns us away, what its oEmbed endpoint says instead. */
  async #fetchPage(job: PreviewJob): Promise<Target> {
    try {
      return await this.options.targets.fetch(job.url, { isOembed: false, job });
    } catch (error) {
      const rescued = isTurnedAway(error) ? await this.#fetchRescue(job) : null;
      if (rescued === null) throw error;
      return rescued;
    }
  }

  /** The answer of the oEmbed endpoint that the public registry knows for the URL; `null` when there is none. */
  async #fetchRescue(job: PreviewJob): Promise<Target | null> {
    const endpoint = await this.options.oembed.rescueFor(job.url);
    if (endpoint === null) return null;
    // A rescue that fails changes nothing: the reader gets what there was before it.
    return this.options.targets.fetch(endpoint, { isOembed: true, job }).catch(() => null);
  }

  async #read(target: Target, job: PreviewJob): Promise<Yield> {
    const { contentType } = target.head;
    if (isImageType(contentType)) {
      return { ...nothing(), openGraph: describeImage(target.media, this.options.keys) };
    }
    if (isHtmlType(contentType)) return this.#readPage(target, job);
    if (target.isOembed && isJsonType(contentType)) return this.#readOembed(target, job);
    return nothing();
  }

  /** §4.7.7 */
  async #readPage(target: Target, job: PreviewJob): Promise<Yield> {
    const startMs = performance.now();
    const { contentType, finalUrl, headers } = target.head;
    const about = { contentType, url: finalUrl, requestedUrl: job.url };
    const page = await target.read((body) =>
      extractPage(
        { ...about, body, headers: Object.fromEntries(headers) },
        { mode: this.options.extraction, signal: job.signal },
      ),
    );
    const ms = Math.round(performance.now() - startMs);
    job.trace.step({
      name: 'extract',
      status: page === null ? 'failed' : 'ok',
      ms,
      sentence: describePage(page),
    });
    if (page === null) return nothing();
    if (page.wall !== null) return (await this.#readRescue(job)) ?? nothing();

    const oembed = await this.options.oembed.discover(page.oembedUrls, { baseUrl: finalUrl, job });
    if (oembed === null && isBare(page)) {
      const rescued = await this.#readRescue(job);
      if (rescued !== null) return rescued;
    }
    const openGraph: OpenGraph = new Map(page.openGraph);
    for (const [key, value] of oembed?.openGraph ?? []) openGraph.set(key, value);
    // An oEmbed picture wins; the page's own ones stand behind it.
    const advertised = imageOf(oembed?.openGraph);
    const images = advertised === null ? page.images : [advertised, ...page.images];
    await this.#addImage(openGraph, { candidates: images, described: page.images[0] ?? null }, job);
    return { openGraph, authorName: oembed?.authorName ?? null, cacheAgeMs: oembed?.cacheAgeMs ?? null };
  }

  /** §4.7.8: a body that is no oEmbed yields nothing. */
  async #readOembed(target: Target, job: PreviewJob): Promise<Yield> {
    const about = { url: job.url, baseUrl: target.head.finalUrl };
    const oembed = await target.read((body) => this.options.oembed.convert(body, about));
    return oembed === null ? nothing() : this.#fromOembed(oembed, job);
  }

  async #fromOembed(oembed: OembedData, job: PreviewJob): Promise<Yield> {
    const openGraph: OpenGraph = new Map(oembed.openGraph);
    const image = imageOf(oembed.openGraph);
    const candidates = image === null ? [] : [image];
    await this.#addImage(openGraph, { candidates, described: image }, job);
    return { openGraph, authorName: oembed.authorName, cacheAgeMs: oembed.cacheAgeMs };
  }

  /** §4.7.9: whatever the page said of its picture's address is gone, a stored one takes its place. */
  async #addImage(
    openGraph: OpenGraph,
    { candidates, described }: { candidates: readonly string[]; described: string | null },
    job: PreviewJob,
  ): Promise<void> {
    openGraph.delete('og:image');
    const picture = await this.options.images.precache(candidates, job);
    // What a page says of one picture is not true of another or of none; `standard` leaves it as the reference does.
    if (picture?.url !== described && this.options.extraction === 'enhanced') dropImageKeys(openGraph);
    if (picture !== null) attachImage(openGraph, picture.media, this.options.keys);
  }

  async #readRescue(job: PreviewJob): Promise<Yield | null> {
    const target = await this.#fetchRescue(job);
    if (target === null || !isJsonType(target.head.contentType)) return null;
    const rescued = await this.#readOembed(target, job);
    return rescued.openGraph.size === 0 ? null : rescued;
  }
}

/** Not 404 and the like: a page that is not there has no oEmbed either. */
function isTurnedAway(error: unknown): boolean {
  return error instanceof ApiError && /^Got error (?:401|403|429|451|503)$/.test(error.message);
}

/** §4.7.11 */
function addTitle(openGraph: OpenGraph, authorName: string | null): void {
  const title = openGraph.get('og:title') ?? '';
  if (title === '' && authorName !== null) openGraph.set('og:title', authorName);
}

function nothing(): Yield {
  return { openGraph: new Map(), authorName: null, cacheAgeMs: null };
}

function dropImageKeys(openGraph: OpenGraph): void {
  for (const key of openGraph.keys()) if (key.startsWith('og:image:')) openGraph.delete(key);
}

function imageOf(openGraph: OpenGraph | undefined): string | null {
  const image = openGraph?.get('og:image');
  return typeof image === 'string' && image !== '' ? image : null;
}

/** A page that says nothing at all, as pages made by script do. */
function isBare(page: PageExtract): boolean {
  const said = ['og:title', 'og:description'].some((key) => {
    const value = page.openGraph.get(key);
    return value !== undefined && value !== null && value !== '';
  });
  return !said && page.images.length === 0;
}

function describePage(page: PageExtract | null): string {
  if (page === null) return 'The page is empty or in no known charset.';
  if (page.wall !== null) return `The page is a ${page.wall} wall, not the page asked for.`;
  return `The page (${page.charset}) gave ${page.openGraph.size} values and ${page.images.length} pictures.`;
}

function isHtmlType(contentType: string): boolean {
  return /^(?:text\/html|application\/xhtml)/i.test(contentType);
}

function isJsonType(contentType: string): boolean {
  return /^application\/json/i.test(contentType);
}
