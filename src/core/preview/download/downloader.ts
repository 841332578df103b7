import type { CookieJar } from 'tough-cookie';

import type { Client, FairQueue } from '../../base/fair-queue.js';
import { abortable, Deadline } from '../../base/deadline.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { isIpLiteral } from '../../net/address/ip-address.js';
import type { Resolver } from '../../net/dns/dns-resolver.js';
import { fileNameOf, isDataUrl, parseDataUrl, readBody } from './answer-body.js';
import {
  hopTarget,
  isRedirect,
  MAX_REDIRECTS,
  redirectTarget,
  type ClientResponse,
  type HttpClient,
} from './http-client.js';
import type { DownloadTrace } from './download-trace.js';
import {
  dataUrlForbidden,
  downloadFailed,
  statusRefused,
  toDownloadError,
  typeRefused,
} from './download-errors.js';

/** What is hoped for: answers may depend on it. */
export type DownloadKind = 'page' | 'image' | 'oembed';

/** One fetch of a page, an image or an oEmbed answer. */
export interface DownloadRequest {
  url: string;
  kind: DownloadKind;
  /** Targets may not be data URLs, those of providers included; images and advertised oEmbed may. SPEC §4.7. */
  allowDataUrls: boolean;
  /** The whole preview's own limit, or its cancellation. */
  signal?: AbortSignal;
  /** Told each address before it is contacted, the first included, as it was written; may throw to refuse it. */
  onHop?: (url: string) => void | Promise<void>;
  client: Client;
  /** Of one that an operator watches. */
  told?: DownloadTrace | undefined;
}

export interface Download extends Awaited<ReturnType<typeof finish>> {
  redirects: number;
}

export interface DownloaderOptions {
  client: HttpClient;
  queue: FairQueue;
  /** Looks hosts up before they take a slot; `null` when a proxy resolves names. */
  resolver: Resolver | null;
  /** For one whole fetch, redirects included, waiting for the first slot excluded. */
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

const MAX_ERROR_PAGE_BYTES = 64 * 1024;
/** Pages announce dozens of files to load in `Link` before what says something of them. */
const MAX_NOTED_LENGTH = 16_384;
const NOTED_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'link', 'refresh'] as const;

/** What an answer without a Content-Type is (SPEC §4.7.5); nobody states it, as it is not accepted. */
export const UNSTATED_TYPE = 'application/octet-stream';

/** Prefixes of SPEC §4.7.5. */
const ACCEPTED = ['text/html', 'application/xhtml', 'image/', 'application/json'] as const;

/** Fetches what previews are made of; SPEC §4.7.5. */
export class Downloader {
  constructor(private readonly options: DownloaderOptions) {}

  prepare(): Promise<void> {
    return this.options.client.prepare();
  }

  /**
   * Follows up to 20 redirects, each hop judged anew, and reads the body within all limits.
   * @throws ApiError of SPEC §7, and whatever `onHop` throws.
   */
  async download(request: DownloadRequest): Promise<Download> {
    const { told } = request;
    try {
      const download = isDataUrl(request.url) ? fromDataUrl(request) : await this.#follow(request);
      told?.finished(download);
      return download;
    } catch (error) {
      told?.failed(error);
      throw error;
    }
  }

  /** Each hop takes a slot of its own host and gives it back before the next one waits. */
  async #follow(request: DownloadRequest): Promise<Download> {
    const { client, fetchTimeoutMs, maxBytes } = this.options;
    const { onHop, told, signal = new AbortController().signal } = request;
    let target = hopTarget(request.url);
    await onHop?.(target.text);
    let leave = await this.#enter(target.url, request, signal);
    const deadline = new Deadline(fetchTimeoutMs, signal);
    const cookies = new FetchCookies();
    try {
      for (let redirects = 0; ; redirects += 1) {
        const cookie = await cookies.header(target.url.href);
        told?.hop(target.url);
        const accept = ACCEPT[request.kind];
        const response = await client.open({ url: target.url, accept, observe: told, deadline, cookie });
        if (!isRedirect(response.status))
          return { redirects, ...(await finish(target.url, response, { told, deadline, maxBytes })) };
        response.destroy();
        if (redirects >= MAX_REDIRECTS)
          throw downloadFailed('redirect_loop', `more than ${MAX_REDIRECTS} redirects`);
        const { location, 'set-cookie': lines = [] } = response.headers;
        await cookies.accept(lines, target.url.href);
        target = redirectTarget(location, target.url);
        await onHop?.(target.text);
        told?.redirect(response.status, target.url.href);
        leave();
        leave = await this.#enter(target.url, request, deadline.signal);
      }
    } finally {
      leave();
      deadline.close();
    }
  }

  /**
   * Waits for a slot of the host, which is looked up before: a silent name server would hold a slot that others wait for.
   * The connection is judged and made by a look-up of its own, as a rule out of the resolver's memory; watched downloads
   * report that one.
   */
  async #enter(
    { hostname }: URL,
    { client, told }: DownloadRequest,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { resolver, queue } = this.options;
    const isName = !hostname.startsWith('[') && !isIpLiteral(hostname);
    if (resolver !== null && told === undefined && isName) {
      const found = abortable<{ addresses: readonly unknown[] }>(signal, (resolve, reject) => {
        resolver.lookup(hostname, client).then(resolve, reject);
        return () => reject(outboundError('aborted', hostname));
      });
      const { addresses } = await found.catch((error: unknown) => {
        throw toDownloadError(error, 'connect');
      });
      const none = `${hostname} has no address`;
      if (addresses.length === 0) throw toDownloadError(outboundError('dns_no_address', none), 'connect');
    }
    return queue.slot({ client, group: hostname }, signal);
  }
}

async function finish(
  url: URL,
  response: ClientResponse,
  { told, deadline, maxBytes }: { told: DownloadTrace | undefined; deadline: Deadline; maxBytes: number },
) {
  const { status, headers } = response;
  try {
    if (status < 200 || status > 299) {
      told?.refused(status, await readErrorPage(response, deadline));
      throw statusRefused(status, url.href);
    }
    const contentType = acceptedContentType(headers['content-type']);
    const body = await readBody(response, { maxBytes, deadline });
    return {
      /** Where redirects ended, without credentials and fragment: base of relative addresses. */
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

/** What an operator sees the beginning of; empty when it is long or cannot be read. */
function readErrorPage(response: ClientResponse, deadline: Deadline): Promise<Buffer> {
  return readBody(response, { maxBytes: MAX_ERROR_PAGE_BYTES, deadline }).catch(() => Buffer.alloc(0));
}

/**
 * The content type of an answer as it was sent; `application/octet-stream` without such a header (SPEC §4.7.5).
 * @throws ApiError 502 for a type that is not accepted, an empty value included.
 */
function acceptedContentType(header: string | undefined): string {
  if (header === undefined) return UNSTATED_TYPE;
  const type = header.toLowerCase();
  if (!ACCEPTED.some((prefix) => type.startsWith(prefix)) || /[^\0-~]/.test(type)) throw typeRefused(header);
  return header;
}

function fromDataUrl(request: DownloadRequest): Download {
  if (!request.allowDataUrls) throw dataUrlForbidden();
  const { contentType, body } = parseDataUrl(request.url);
  const about = { finalUrl: request.url, redirects: 0, status: 200, fileName: null, etag: null };
  return { ...about, contentType, body, sizeBytes: body.length, headers: {} };
}

/** Those that say something of a page, or that it is none; lower-case names. */
function notedHeaders(headers: ClientResponse['headers']): Readonly<Record<string, string>> {
  const noted = NOTED_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value.slice(0, MAX_NOTED_LENGTH)]] : [];
  });
  return Object.fromEntries(noted);
}

const MAX_COOKIES = 50;
const MAX_COOKIE_BYTES = 4096;
const MAX_HEADER_BYTES = 8192;

/**
 * Cookies of one fetch: what a redirect sets goes to its later hops where RFC 6265 allows it, and is then forgotten.
 * Nothing is loaded before the first cookie comes.
 */
class FetchCookies {
  #jar: CookieJar | null = null;
  #count = 0;

  /** Takes the `Set-Cookie` lines of an answer; bad ones, and those beyond 50, are ignored. */
  async accept(lines: readonly string[], url: string): Promise<void> {
    const usable = lines
      .filter((line) => line.length <= MAX_COOKIE_BYTES)
      .slice(0, MAX_COOKIES - this.#count);
    if (usable.length === 0) return;
    this.#count += usable.length;
    this.#jar ??= new (await import('tough-cookie')).CookieJar();
    for (const line of usable) await this.#jar.setCookie(line, url, { ignoreError: true });
  }

  /** Value of the `Cookie` header for an address; null when none is to be sent. */
  async header(url: string): Promise<string | null> {
    const value = (await this.#jar?.getCookieString(url)) ?? '';
    return value === '' || value.length > MAX_HEADER_BYTES ? null : value;
  }
}
