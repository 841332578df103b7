import type { Logger } from '../../base/logger.js';
import { counted } from '../../base/text/counted.js';
import { visibleText } from '../charset/visible-text.js';
import { UNSTATED_TYPE } from '../download/downloader.js';
import type { PageExtract } from '../extract/extract-page.js';
import { isLoginTitle } from '../extract/interstitial.js';
import { isTooLong, type OpenGraph } from '../extract/open-graph.js';
import type { ConvertOembed, OembedData } from '../oembed/convert-oembed.js';
import type { FallbackProviders, OembedProviders } from '../oembed/oembed-providers.js';
import { failureLine, isOfAddress, isOurs, type PreviewJob } from './job.js';
import { tellPart } from './steps.js';
import type { PreviewTargets } from './targets.js';

export interface OembedAnswersOptions {
  targets: PreviewTargets;
  /** Providers whose endpoint replaces the page (SPEC §4.7.4). */
  providers: OembedProviders;
  /** The public registry, asked only when a page gave nothing. */
  fallback: FallbackProviders;
  extraction: 'standard' | 'enhanced';
  /** Whether an announced answer that fails, fails the preview: by the dialect. */
  isRequired: boolean;
  logger: Logger;
  convertOembed: ConvertOembed;
}

/** Everything about oEmbed: which endpoint to ask, what a page advertises, what an answer means. */
export class OembedAnswers {
  constructor(private readonly options: OembedAnswersOptions) {}

  /** Endpoint to download instead of the page; `null` for most URLs. */
  endpointFor(url: string): string | null {
    return this.options.providers.addressFor(url);
  }

  /** Endpoint that may know what the page did not say. `standard` has no such fallback. */
  async fallbackFor(url: string): Promise<string | null> {
    return this.options.extraction === 'enhanced' ? this.options.fallback.findFallback(url) : null;
  }

  /**
   * Reads the first oEmbed address a page advertises (SPEC §4.7.7); `null` when there is nothing to take from it. One
   * that fails, fails the preview if it is required, and is logged else.
   */
  async discover(
    advertised: readonly string[],
    { baseUrl, job }: { baseUrl: string; job: PreviewJob },
  ): Promise<OembedData | null> {
    const [url] = advertised;
    if (url === undefined) return null;
    const part = tellPart(job.trace, 'oembed_discovery');
    try {
      const answer = await this.options.targets.downloadPart({ url, kind: 'oembed', stage: 'oembed' }, job);
      const data = answer.contentType === UNSTATED_TYPE ? null : await this.read(answer, { baseUrl, job });
      answer.release();
      if (data === null) part.end('warning', `${url} returned no oEmbed response`, { reason: 'no_oembed' });
      else part.end('ok', `${url} returned ${counted(data.openGraph.size, 'value')}`);
      return data;
    } catch (error) {
      const isFatal = this.options.isRequired || !(isOfAddress(error) || isOurs(error));
      part.fail(isFatal ? 'failed' : 'warning', url, error);
      if (isFatal) throw error;
      const line = failureLine(error, job, { oembed: url });
      this.options.logger.info(line, 'linked oEmbed request of a preview failed');
      job.missing.note(error);
      return null;
    }
  }

  /** What an answer says, whose body is let go of; `null` when it is not an oEmbed document. */
  async read(
    { body, release }: { body: Buffer; release: () => void },
    { baseUrl, job }: { baseUrl: string; job: PreviewJob },
  ): Promise<OembedData | null> {
    const { extraction, convertOembed } = this.options;
    const { url, client } = job;
    try {
      const data = await convertOembed(body, { url, baseUrl, client, extraction });
      if (data.openGraph.size === 0) return null;
      return extraction === 'enhanced' ? tidied(data) : data;
    } finally {
      release();
    }
  }
}

const TEXT_KEYS = ['og:title', 'og:description', 'og:site_name'];

/** As of pages: invisible characters go; what is empty then, or would be removed as too long, gives way to the page's own. */
function tidied(data: OembedData): OembedData {
  const openGraph: OpenGraph = new Map();
  for (const [key, value] of data.openGraph) {
    const shown = typeof value === 'string' && TEXT_KEYS.includes(key) ? visibleText(value) : value;
    if (shown !== '' && (!isTooLong(key, shown) || key === 'og:image')) openGraph.set(key, shown);
  }
  return { ...data, openGraph, authorName: data.authorName === null ? null : visibleText(data.authorName) };
}

/** A page that says nothing at all, as pages made by script do; icons are the site's, and stand behind all images. */
export function isBare(page: PageExtract): boolean {
  const said = ['og:title', 'og:description'].some((key) => hasText(page.openGraph, key));
  return !said && (page.images.length === 0 || page.origins.get('og:image') === 'icon');
}

/** Where values come from that no tag states. */
const UNSTATED = /^(?:heading|text):|^(?:img|icon)$/;

/** A page of which no tag names title, text or image, or that asks to log in: a registry may know more. */
export function isUntold({ origins, openGraph }: PageExtract): boolean {
  const stated = ['og:title', 'og:description', 'og:image'].filter((key) => origins.has(key));
  return (
    stated.every((key) => UNSTATED.test(origins.get(key) ?? '')) ||
    isLoginTitle(String(openGraph.get('og:title')))
  );
}

export function hasText(openGraph: OpenGraph, key: string): boolean {
  return (openGraph.get(key) ?? '') !== '';
}
