import { Deadline } from '../deadline.js';
import { ApiError } from '../errors.js';
import type { Trace, TraceStep } from '../trace.js';
import { SILENT_TRACE } from '../trace.js';
import type { ReadBody } from './body-reader.js';
import { readBody } from './body-reader.js';
import { fileNameOf } from './content-disposition.js';
import { acceptedContentType } from './content-type.js';
import { isDataUrl, parseDataUrl } from './data-url.js';
import type { Download, DownloadRequest, NotedHeaders } from './download.js';
import { dataUrlForbidden, downloadFailed, statusRefused } from './errors.js';
import { FetchCookies } from './fetch-cookies.js';
import type { FetchLanes } from './fetch-lanes.js';
import type { ClientResponse, HttpClient } from './http-client.js';
import type { HopTarget } from './redirect-target.js';
import { SharedDownloads } from './shared-downloads.js';
import { hopTarget, isRedirect, redirectTarget } from './redirect-target.js';

/** Settings of the downloader. */
export interface DownloaderOptions {
  client: HttpClient;
  lanes: FetchLanes;
  /** For one whole fetch, redirects included, waiting for the first place excluded. */
  fetchTimeoutMs: number;
  /** `max_spider_size`; §8. */
  maxBytes: number;
}

/** State of one fetch over its hops. */
interface Fetch {
  readonly request: DownloadRequest;
  readonly deadline: Deadline;
  readonly cookies: FetchCookies;
  readonly trace: Trace;
}

const MAX_REDIRECTS = 20;
const MAX_NOTED_LENGTH = 1000;
const NOTED_HEADERS = ['cf-mitigated', 'x-amzn-waf-action'] as const;

/** Fetches what previews are made of; §4.7.5. */
export class Downloader {
  readonly #options: DownloaderOptions;
  readonly #shared = new SharedDownloads((target, request) => this.#run(target, request));

  constructor(options: DownloaderOptions) {
    this.#options = options;
  }

  /**
   * Follows up to 20 redirects, each hop judged anew, and reads the body within all limits.
   * @throws ApiError of §7, and whatever `onHop` throws.
   */
  async download(request: DownloadRequest): Promise<Download> {
    if (isDataUrl(request.url)) return fromDataUrl(request);
    const target = hopTarget(request.url);
    await request.onHop?.(target.text);
    return this.#shared.join(target, request);
  }

  async #run(target: HopTarget, request: DownloadRequest): Promise<Download> {
    const signal = request.signal ?? new AbortController().signal;
    const leave = await this.#options.lanes.enter(target.url.hostname, signal);
    const deadline = new Deadline(this.#options.fetchTimeoutMs, signal);
    const trace = request.trace ?? SILENT_TRACE;
    return this.#follow({ request, deadline, cookies: new FetchCookies(), trace }, target, leave);
  }

  /** Each hop takes a place of its own host and gives it back before the next one waits. */
  async #follow(fetch: Fetch, first: HopTarget, leaveFirst: () => void): Promise<Download> {
    let target = first;
    let leave = leaveFirst;
    try {
      for (let followed = 0; ; followed += 1) {
        const response = await this.#open(fetch, target);
        if (!isRedirect(response.status)) return await this.#finish(fetch, target, response);
        response.destroy();
        target = await nextTarget(fetch, response, { from: target, followed });
        leave();
        leave = await this.#options.lanes.enter(target.url.hostname, fetch.deadline.signal);
      }
    } finally {
      leave();
      fetch.deadline.close();
    }
  }

  async #open({ deadline, cookies, trace }: Fetch, { url }: HopTarget): Promise<ClientResponse> {
    const step = timedStep(trace, 'request');
    try {
      const cookie = await cookies.header(url.href);
      const response = await this.#options.client.open({ url, cookie, deadline });
      const { status, remoteAddress } = response;
      step('ok', `${url.href} answered ${status}`, { status, address: remoteAddress ?? '' });
      return response;
    } catch (error) {
      step('failed', `${url.href} gave no answer`, failureDetail(error));
      throw error;
    }
  }

  async #finish(fetch: Fetch, { url }: HopTarget, response: ClientResponse): Promise<Download> {
    const { status, headers } = response;
    try {
      if (status < 200 || status > 299) throw statusRefused(status, url.href);
      const contentType = acceptedContentType(headers['content-type']);
      return {
        finalUrl: url.href,
        status,
        contentType,
        fileName: fileNameOf(headers['content-disposition']),
        etag: headers.etag ?? null,
        ...(await this.#read(fetch, response)),
        headers: notedHeaders(headers),
      };
    } finally {
      response.destroy();
    }
  }

  async #read({ deadline, trace }: Fetch, response: ClientResponse): Promise<ReadBody> {
    const step = timedStep(trace, 'body');
    try {
      const read = await readBody(response, { maxBytes: this.#options.maxBytes, deadline });
      step('ok', `${read.sizeBytes} bytes`, { bytes: read.sizeBytes });
      return read;
    } catch (error) {
      step('failed', 'The body was not read to its end', failureDetail(error));
      throw error;
    }
  }
}

type Step = (status: TraceStep['status'], sentence: string, detail: Record<string, string | number>) => void;

function timedStep(trace: Trace, name: string): Step {
  const startMs = performance.now();
  return (status, sentence, detail) =>
    trace.step({ name, status, ms: Math.round(performance.now() - startMs), sentence, detail });
}

function failureDetail(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return { reason: error.reason ?? '', detail: error.detail ?? '' };
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
