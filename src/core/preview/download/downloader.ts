import { Deadline } from '../../base/deadline.js';
import type { Resolver } from '../../net/dns/resolver.js';
import { SILENT_TRACE } from '../../base/trace.js';
import { readBody } from './body/body-reader.js';
import { fileNameOf } from './body/content-disposition.js';
import { acceptedContentType } from './body/content-type.js';
import { isDataUrl, parseDataUrl } from './body/data-url.js';
import type { Download, DownloadKind, DownloadRequest, NotedHeaders } from './download.js';
import { DownloadTrace } from './download-trace.js';
import { dataUrlForbidden, downloadFailed, statusRefused } from './download-errors.js';
import { FetchCookies } from './fetch-cookies.js';
import type { FairQueue } from '../../base/fair-queue.js';
import type { ClientResponse, HttpClient } from './http-client.js';
import { hopTarget, isRedirect, MAX_REDIRECTS, redirectTarget, type HopTarget } from './redirect-target.js';
import { lookUpHop } from './hop-lookup.js';

/** Settings of the downloader. */
export interface DownloaderOptions {
  client: HttpClient;
  queue: FairQueue;
  /** Looks hosts up before they take a place; `null` when a proxy resolves names. */
  resolver: Resolver | null;
  /** For one whole fetch, redirects included, waiting for the first place excluded. */
  fetchTimeoutMs: number;
  /** `max_spider_size`; SPEC §8. */
  maxBytes: number;
}

/**
 * `Accept` of each kind of download. Images are asked for in the formats that every client shows; sites that choose by
 * this header else send some AVIF, which takes three times the work.
 */
const ACCEPT: Record<DownloadKind, string> = {
  page: 'text/html,application/xhtml+xml,image/*;q=0.9,*/*;q=0.8',
  image: 'image/webp,image/jpeg,image/png,image/gif,image/*;q=0.8,*/*;q=0.5',
  oembed: 'application/json,*/*;q=0.5',
};

/** State of one fetch over its hops. */
interface Fetch {
  readonly request: DownloadRequest;
  readonly deadline: Deadline;
  readonly cookies: FetchCookies;
  /** `null`: nobody watches. */
  readonly told: DownloadTrace | null;
}

const MAX_ERROR_PAGE_BYTES = 64 * 1024;
/** Pages announce dozens of files to load in `Link` before what says something of them. */
const MAX_NOTED_LENGTH = 16_384;
const NOTED_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'link', 'refresh'] as const;

/** Fetches what previews are made of; SPEC §4.7.5. */
export class Downloader {
  readonly #options: DownloaderOptions;

  constructor(options: DownloaderOptions) {
    this.#options = options;
  }

  /** Loads what the first download would wait for. */
  prepare(): Promise<void> {
    return this.#options.client.prepare();
  }

  /**
   * Follows up to 20 redirects, each hop judged anew, and reads the body within all limits.
   * @throws ApiError of SPEC §7, and whatever `onHop` throws.
   */
  async download(request: DownloadRequest): Promise<Download> {
    const { trace = SILENT_TRACE } = request;
    const told = trace === SILENT_TRACE ? null : new DownloadTrace(trace);
    try {
      const download = isDataUrl(request.url) ? fromDataUrl(request) : await this.#run(request, told);
      told?.finished(download);
      return download;
    } catch (error) {
      told?.failed(error);
      throw error;
    }
  }

  async #run(request: DownloadRequest, told: DownloadTrace | null): Promise<Download> {
    const target = hopTarget(request.url);
    await request.onHop?.(target.text);
    const signal = request.signal ?? new AbortController().signal;
    if (told === null) await this.#lookUp(target, { request, signal });
    const leave = await this.#enter(target, request, signal);
    const deadline = new Deadline(this.#options.fetchTimeoutMs, signal);
    return this.#follow({ request, deadline, cookies: new FetchCookies(), told }, target, leave);
  }

  /** Each hop takes a place of its own host and gives it back before the next one waits. */
  async #follow(fetch: Fetch, first: HopTarget, leaveFirst: () => void): Promise<Download> {
    let target = first;
    let leave = leaveFirst;
    try {
      for (let followed = 0; ; followed += 1) {
        const response = await this.#open(fetch, target);
        if (!isRedirect(response.status)) {
          return { redirects: followed, ...(await this.#finish(fetch, target, response)) };
        }
        response.destroy();
        target = await nextTarget(fetch, response, { from: target, followed });
        fetch.told?.redirect(response.status, target.url.href);
        leave();
        const { signal } = fetch.deadline;
        if (fetch.told === null) await this.#lookUp(target, { request: fetch.request, signal });
        leave = await this.#enter(target, fetch.request, signal);
      }
    } finally {
      leave();
      fetch.deadline.close();
    }
  }

  /** A silent name server would hold a place that others wait for. Watched downloads tell of it when they connect. */
  async #lookUp(
    { url }: HopTarget,
    { request, signal }: { request: DownloadRequest; signal: AbortSignal },
  ): Promise<void> {
    const { resolver } = this.#options;
    if (resolver !== null) await lookUpHop(resolver, url, { client: request.client, signal });
  }

  #enter({ url }: HopTarget, { client }: DownloadRequest, signal: AbortSignal): Promise<() => void> {
    return this.#options.queue.slot({ client, group: url.hostname }, signal);
  }

  async #open({ request, deadline, cookies, told }: Fetch, { url }: HopTarget): Promise<ClientResponse> {
    told?.hop(url);
    const cookie = await cookies.header(url.href);
    const { acceptLanguage } = request;
    const accept = ACCEPT[request.kind];
    return this.#options.client.open({
      url,
      cookie,
      deadline,
      accept,
      acceptLanguage,
      observe: told ?? undefined,
    });
  }

  async #finish(
    { deadline, told }: Fetch,
    { url }: HopTarget,
    response: ClientResponse,
  ): Promise<Omit<Download, 'redirects'>> {
    const { status, headers } = response;
    try {
      if (status < 200 || status > 299) {
        told?.refused(status, await readErrorPage(response, deadline));
        throw statusRefused(status, url.href);
      }
      const contentType = acceptedContentType(headers['content-type']);
      const body = await readBody(response, { maxBytes: this.#options.maxBytes, deadline });
      return {
        finalUrl: url.href,
        status,
        contentType,
        fileName: fileNameOf(headers['content-disposition']),
        etag: headers.etag ?? null,
        body,
        sizeBytes: body.length,
        headers: notedHeaders(headers),
      };
    } finally {
      response.destroy();
    }
  }
}

/** What an operator sees the beginning of; empty when it is long or cannot be read. */
function readErrorPage(response: ClientResponse, deadline: Deadline): Promise<Buffer> {
  return readBody(response, { maxBytes: MAX_ERROR_PAGE_BYTES, deadline }).catch(() => Buffer.alloc(0));
}

interface HopFacts {
  from: HopTarget;
  followed: number;
}

async function nextTarget(
  fetch: Fetch,
  response: ClientResponse,
  { from, followed }: HopFacts,
): Promise<HopTarget> {
  if (followed >= MAX_REDIRECTS)
    throw downloadFailed('redirect_loop', `more than ${MAX_REDIRECTS} redirects`);
  const { location, 'set-cookie': cookies = [] } = response.headers;
  await fetch.cookies.accept(cookies, from.url.href);
  const target = redirectTarget(location, from.url);
  await fetch.request.onHop?.(target.text);
  return target;
}

function fromDataUrl(request: DownloadRequest): Download {
  if (!request.allowDataUrls) throw dataUrlForbidden();
  const { contentType, body } = parseDataUrl(request.url);
  return {
    finalUrl: request.url,
    redirects: 0,
    status: 200,
    contentType,
    fileName: null,
    etag: null,
    body,
    sizeBytes: body.length,
    headers: new Map(),
  };
}

function notedHeaders(headers: ClientResponse['headers']): NotedHeaders {
  return new Map(
    NOTED_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value.slice(0, MAX_NOTED_LENGTH)] as const] : [];
    }),
  );
}
