import { visibleText } from '../../charset/visible-text.js';
import { isTooLong, type OpenGraph } from '../../extract/open-graph.js';
import { UNSTATED_TYPE } from '../../download/body/content-type.js';
import type { Logger } from '../../../base/logger.js';
import { isOfAddress } from '../failure-lifetime.js';
import { counted } from '../../../base/text/counted.js';
import type { ConvertOembed, OembedData, OembedQuestion } from '../../oembed/convert-oembed.js';
import type { OembedProviders } from '../../oembed/oembed-providers.js';
import type { FallbackProviders } from '../../oembed/fallback-providers.js';
import { failureOf } from '../../download/download-trace.js';
import { SILENT_TRACE, type Trace, type TraceStep } from '../../../base/trace.js';
import { isOurs, lackOf, NO_LACK, type Lack } from './lack.js';
import type { PreviewJob } from '../preview-job.js';
import { failureLine } from './failure-line.js';
import { gatedDownload, type GatedDownloader } from './gated-download.js';
import { InnerTrace, msSince, tell } from './preview-steps.js';

/** What the step is built from. */
export interface OembedStepOptions extends GatedDownloader {
  /** Providers whose endpoint replaces the page (SPEC §4.7.4). */
  providers: OembedProviders;
  /** The public registry, asked only when a page gave nothing. */
  fallback: FallbackProviders;
  extraction: 'standard' | 'enhanced';
  /** Whether an announced answer that fails, fails the preview: setting `oembed.required`. */
  isRequired: boolean;
  logger: Logger;
  /** What somebody else wrote is read where it holds up nobody. */
  convertOembed: ConvertOembed;
}

/** Everything about oEmbed: which endpoint to ask, what a page advertises, what an answer means. */
export class OembedStep {
  constructor(private readonly options: OembedStepOptions) {}

  /** Endpoint to download instead of the page; `null` for most URLs. */
  endpointFor(url: string): string | null {
    return this.options.providers.addressFor(url);
  }

  /** Endpoint that may know what the page did not say. `standard` has no such fallback. */
  async fallbackFor(url: string): Promise<string | null> {
    return this.options.extraction === 'enhanced' ? this.options.fallback.findFallback(url) : null;
  }

  /**
   * Reads the first oEmbed address a page advertises (SPEC §4.7.7). One that fails, fails the preview if it is
   * required, and is logged else. `data` is `null` when there is nothing to take from it.
   */
  async discover(
    advertised: readonly string[],
    at: { baseUrl: string; job: PreviewJob },
  ): Promise<{ data: OembedData | null; lack: Lack }> {
    const [url] = advertised;
    const { trace } = at.job;
    if (url === undefined) {
      tell(trace, 'oembed_discovery', {
        status: 'skipped',
        sentence: 'The page announces no oEmbed answer.',
      });
      return { data: null, lack: NO_LACK };
    }
    trace.begin?.('oembed_discovery');
    const startMs = performance.now();
    const inner = trace === SILENT_TRACE ? null : new InnerTrace();
    const step = (status: TraceStep['status'], sentence: string, detail = {}) =>
      tell(trace, 'oembed_discovery', {
        status,
        sentence,
        ms: msSince(startMs),
        detail: { ...inner?.detail, ...detail },
      });
    try {
      const data = await this.#fetchAdvertised(url, at, inner ?? SILENT_TRACE);
      if (data === null) step('warning', `${url} gave no oEmbed answer`, { reason: 'no_oembed' });
      else step('ok', `${url} gave ${counted(data.openGraph.size, 'value')}`);
      return { data, lack: NO_LACK };
    } catch (error) {
      const isFatal = this.options.isRequired || !(isOfAddress(error) || isOurs(error));
      const { sentence, detail } = failureOf(error);
      step(isFatal ? 'failed' : 'warning', `${url}: ${sentence}`, detail);
      if (isFatal) throw error;
      const line = failureLine(error, at.job, { oembed: url });
      this.options.logger.info(line, 'announced oEmbed answer of a preview failed');
      return { data: null, lack: lackOf(error) };
    }
  }

  async #fetchAdvertised(
    url: string,
    { job, baseUrl }: { baseUrl: string; job: PreviewJob },
    trace: Trace,
  ): Promise<OembedData | null> {
    const request = { url, kind: 'oembed', stage: 'oembed', allowDataUrls: true, trace } as const;
    const download = await gatedDownload(this.options, request, job);
    try {
      if (download.contentType === UNSTATED_TYPE) return null;
      return await this.convert(download.body, { url: job.url, baseUrl, asker: job.asker });
    } finally {
      download.release();
    }
  }

  /** What an answer says; `null` when it is no oEmbed document. */
  async convert(body: Buffer, about: Omit<OembedQuestion, 'extraction'>): Promise<OembedData | null> {
    const { extraction, convertOembed } = this.options;
    const data = await convertOembed(body, { ...about, extraction });
    if (data.openGraph.size === 0) return null;
    return extraction === 'enhanced' ? tidied(data) : data;
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
