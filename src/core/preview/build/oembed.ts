import type { Logger } from '../../base/logger.js';
import { isFault } from '../../base/errors/outbound-error.js';
import { counted } from '../../base/text/strings.js';
import { UNSTATED_TYPE } from '../download/downloader.js';
import { isTooLong, visibleText, type OpenGraph } from '../extract/values.js';
import type { ConvertOembed, OembedData } from '../oembed/convert-oembed.js';
import type { OembedProviders } from '../oembed/oembed-providers.js';
import { failureLine, isOfAddress, noteMissing, type PreviewJob } from './job.js';
import type { PreviewTargets } from './targets.js';

export interface OembedAnswersOptions {
  targets: PreviewTargets;
  /** Providers whose endpoint replaces the page (SPEC §4.7.4). */
  providers: OembedProviders;
  /** The public registry, read when a page gives nothing: a server without such pages keeps its memory. */
  fallback: () => Promise<OembedProviders>;
  extraction: 'standard' | 'enhanced';
  /** Whether an announced answer that fails, fails the preview: by the dialect. */
  isRequired: boolean;
  logger: Logger;
  convertOembed: ConvertOembed;
}

/** Everything about oEmbed: which endpoint to ask, what a page advertises, what an answer means. */
export class OembedAnswers {
  readonly providers: OembedProviders;

  constructor(private readonly options: OembedAnswersOptions) {
    this.providers = options.providers;
  }

  /** Endpoint that may know what the page did not say. `standard` has no such fallback. */
  async fallbackFor(url: string): Promise<string | null> {
    if (this.options.extraction === 'standard') return null;
    const providers = await this.options.fallback();
    // A fifth of the registry's schemes are older than https.
    return providers.addressFor(url) ?? providers.addressFor(url.replace(/^https:/, 'http:'));
  }

  /**
   * Reads the oEmbed address a page advertises (SPEC §4.7.7); `null` when there is nothing to take from it. One that
   * fails, fails the preview if it is required, and is logged else.
   */
  async discover(
    url: string,
    { baseUrl, job }: { baseUrl: string; job: PreviewJob },
  ): Promise<OembedData | null> {
    const part = job.trace?.part('oembed_discovery', url);
    try {
      const announced = { url, kind: 'oembed', stage: 'oembed', allowDataUrls: true } as const;
      const answer = await this.options.targets.download(announced, job);
      const data = answer.contentType === UNSTATED_TYPE ? null : await this.read(answer, { baseUrl, job });
      answer.release();
      if (data === null) part?.end('warning', 'returned no oEmbed response', { reason: 'no_oembed' });
      else part?.end('ok', `returned ${counted(data.openGraph.size, 'value')}`);
      return data;
    } catch (error) {
      const isFatal = this.options.isRequired || !(isOfAddress(error) || isFault(error, 'busy'));
      part?.fail(isFatal ? 'failed' : 'warning', error);
      if (isFatal) throw error;
      const line = failureLine(error, job, { oembed: url });
      this.options.logger.info(line, 'linked oEmbed request of a preview failed');
      noteMissing(job.missing, error);
      return null;
    }
  }

  /** What an answer says, whose body is let go of; `null` when it is not an oEmbed document. */
  async read(
    { body, release }: { body: Buffer; release: () => void },
    { baseUrl, job }: { baseUrl: string; job: PreviewJob },
  ): Promise<OembedData | null> {
    const { extraction, convertOembed } = this.options;
    const { url, client, signal } = job;
    try {
      const data = await convertOembed(body, { url, baseUrl, client, signal, extraction });
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
