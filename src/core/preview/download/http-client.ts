import { isUtf8 } from 'node:buffer';
import type { ClientRequest as ClientRequestStream, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';

import type { Got } from 'got-scraping';

import { remembered } from '../../base/runtime/cache.js';
import { abortable, type Deadline } from '../../base/deadline.js';
import { refuseSideTracks, type OutboundObserver } from '../../net/http/guarded-connect.js';
import type { OutboundRoute } from '../../net/http/outbound-route.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { hasOverlongHost, parseUrl } from '../../base/text/url.js';
import { dnsFailed, downloadFailed, timedOut, toDownloadError, type FetchPhase } from './download-errors.js';

interface HttpClientOptions {
  /** The only way to a socket: got makes none of its own while http2 is off. */
  route: OutboundRoute;
  /** Names a crawler and how to reach its operator; carries no version (SPEC §4.7.5). */
  userAgent: string;
  /** One `Accept-Language` line each. */
  acceptLanguage: readonly string[];
  /** From the connection's being open to the end of the response head. */
  responseTimeoutMs: number;
}

export interface ClientRequest {
  url: URL;
  cookie: string | null;
  deadline: Deadline;
  accept: string;
  /** Told how the connection is made; absent: nobody watches. */
  observe?: OutboundObserver | undefined;
}

/** The head of an answer, and its body as it comes. */
export interface ClientResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** All that has come over the connection so far, head and chunk sizes included. */
  wireBytes(): number;
  /** Not yet decompressed, and not limited. */
  body: AsyncIterable<Buffer>;
  /** Ends the connection; with an error, reading the body fails with it. */
  destroy(error?: Error): void;
}

type ResponseStream = ReturnType<Got['stream']>;

/** Codings that are asked for: those that every supported version of Node can undo. */
const ACCEPT_ENCODING = 'gzip, deflate, br';
/** Of an answer's head; some sites set dozens of cookies and a policy of kilobytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * The one place that uses got-scraping: a plain got instance with none of its hooks, so no imitated browser, no
 * protocol probe past the agents, no certificate left unchecked, no decompression, no retries. Answers are read as
 * leniently as browsers and curl read them, since no connection is used twice. Loaded with the first request.
 */
export class HttpClient {
  readonly #instance: () => Promise<Got>;

  constructor(private readonly options: HttpClientOptions) {
    this.#instance = remembered(() => createInstance(options));
  }

  async prepare(): Promise<void> {
    await this.#instance();
  }

  /** @throws ApiError of SPEC §7; nothing is left open then. */
  async open(request: ClientRequest): Promise<ClientResponse> {
    const instance = await this.#instance();
    const { url, cookie, accept, observe } = request;
    const headers = { accept, ...(cookie !== null && { cookie }) };
    const watched = observe && { agent: this.options.route.observedBy(observe) };
    const stream = instance.stream(url, { headers, ...watched });
    // Errors after the head are seen by the reader of the body; without a listener they would end the process.
    stream.on('error', () => {});
    return responseHead(stream, request.deadline, this.options.responseTimeoutMs);
  }
}

async function createInstance(options: HttpClientOptions): Promise<Got> {
  const { got } = await import('got-scraping');
  const { agents, request } = options.route;
  return got.extend({
    agent: { ...agents },
    request: (url: URL, given: RequestOptions) =>
      withoutSurplus(request(url, { ...given, insecureHTTPParser: true, maxHeaderSize: MAX_HEADER_BYTES })),
    http2: false,
    decompress: false,
    followRedirect: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
    https: { rejectUnauthorized: true },
    enableUnixSockets: false,
    headers: {
      'user-agent': options.userAgent,
      'accept-language': [...options.acceptLanguage],
      'accept-encoding': ACCEPT_ENCODING,
    },
  });
}

/** Bytes behind a whole answer are ignored, as browsers do; to Node's parser they are an error of the request. */
function withoutSurplus(request: ClientRequestStream): ClientRequestStream {
  let answer: IncomingMessage | null = null;
  request.once('response', (response) => (answer = response));
  const emit = request.emit.bind(request);
  request.emit = (event: string | symbol, ...values: unknown[]) =>
    event === 'error' && answer?.complete === true ? false : emit(event, ...values);
  return request;
}

async function responseHead(
  stream: ResponseStream,
  deadline: Deadline,
  responseTimeoutMs: number,
): Promise<ClientResponse> {
  let phase: FetchPhase = 'connect';
  let headTimer: NodeJS.Timeout | null = null;
  let socket: Socket | null = null;
  try {
    return await abortable<ClientResponse>(deadline, (resolve, reject) => {
      const fail = (error: unknown): void => {
        letGo(stream, socket);
        reject(toDownloadError(error, phase));
      };
      stream.on('error', fail);
      // The guarded agents hand over a socket that is connected and, with https, verified.
      stream.once('socket', (connected: Socket) => {
        socket = connected;
        phase = 'headers';
        headTimer = setTimeout(
          () => fail(timedOut('headers', 'incomplete response headers')),
          responseTimeoutMs,
        );
      });
      refuseSideTracks(stream, fail);
      const closed = (): void => fail(outboundError('connection_reset', 'closed before a response'));
      stream.once('close', closed);
      stream.once('response', (head: ResponseHead) => {
        stream.off('close', closed);
        resolve(clientResponse(stream, head));
      });
      return () => fail(deadlineError(deadline, phase));
    });
  } finally {
    if (headTimer !== null) clearTimeout(headTimer);
  }
}

interface ResponseHead {
  statusCode: number;
  headers: IncomingHttpHeaders;
  socket: Socket | null;
}

function clientResponse(stream: ResponseStream, head: ResponseHead): ClientResponse {
  return {
    status: head.statusCode,
    headers: cleaned(head.headers),
    wireBytes: () => head.socket?.bytesRead ?? 0,
    body: stream,
    destroy: (error) => letGo(stream, head.socket, error),
  };
}

// oxlint-disable-next-line no-control-regex -- what the lenient parser lets through
const CONTROLS = /[\0-\x08\n-\x1f\x7f]/g;

/** The lenient parser lets blanks behind a name and controls in a value through, which nobody may store or send on. */
function cleaned(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const clean = (value: string): string => value.replaceAll(CONTROLS, '');
  const entries = Object.entries(headers).map(([name, value]) => [
    name.trim(),
    Array.isArray(value) ? value.map(clean) : clean(value ?? ''),
  ]);
  return Object.fromEntries(entries.toReversed());
}

/**
 * The socket is closed by us and not left to the request: from Node 26 on, one that is destroyed after the whole
 * answer has come, read or not, leaves its connection to the other side to close.
 */
function letGo(stream: ResponseStream, socket: Socket | null, error?: Error): void {
  stream.destroy(error);
  socket?.destroy();
}

/** The answer for a request that its deadline ended; a cancelled one is not a time-out. */
export function deadlineError(deadline: Deadline, phase: FetchPhase): Error {
  const error = deadline.error(`timeout_${phase}`, `while waiting for ${phase}`);
  return error.reason === 'aborted' ? toDownloadError(error, 'connect') : timedOut(phase, error.detail ?? '');
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_URL_LENGTH = 8192;
/** SPEC §4.7.5 */
export const MAX_REDIRECTS = 20;

/** True for the statuses that are followed; 300 and 304 are not. */
export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

/**
 * The first address of a fetch, as given by a user or a page: as written, for URL rules, and parsed, for the request.
 * @throws ApiError 500 for anything but http and https, and above 8192 characters; 502 as `parsed`.
 */
export function hopTarget(text: string) {
  if (text.length > MAX_URL_LENGTH) throw downloadFailed('url_too_long', `${text.length} characters`);
  const url = parsed(text);
  if (url === null) throw downloadFailed('scheme', 'not an absolute address');
  return { text, url: fetchable(url) };
}

/**
 * Where a redirect leads, resolved against the hop that sent it.
 * @throws ApiError 500 when there is no usable `Location`, or it leaves http and https; 502 as `parsed`.
 */
export function redirectTarget(location: string | undefined, from: URL): ReturnType<typeof hopTarget> {
  const text = decodedHeader(location ?? '').trim();
  const resolved = text === '' || text.length > MAX_URL_LENGTH ? null : parsed(text, from.href);
  if (resolved === null) {
    throw downloadFailed('redirect_target', text === '' ? 'no Location' : 'Location cannot be used');
  }
  const isAbsolute = parsed(text)?.href === resolved.href;
  return { text: isAbsolute ? text : resolved.href, url: fetchable(resolved) };
}

/** Null for what is not a URL. @throws ApiError 502 where no name server can know the host. */
function parsed(text: string, base?: string): URL | null {
  if (!hasOverlongHost(text)) return parseUrl(text, base);
  throw dnsFailed('dns_no_address', { detail: 'a host name longer than any', address: null });
}

/** Credentials and the fragment are nothing the other side needs: they never leave this machine. */
function fetchable(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw downloadFailed('scheme', url.protocol);
  if (url.port === '0') throw downloadFailed('scheme', 'port 0');
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** Header bytes arrive as Latin-1; servers mostly mean UTF-8. */
function decodedHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
