import type { ClientRequest as ClientRequestStream, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Got } from 'got-scraping';

import { Remembered } from '../../base/runtime/cache.js';
import { abortable, type Deadline, onAbort } from '../../base/deadline.js';
import type { OutboundObserver } from '../../net/http/guarded-connect.js';
import { MAX_INFORMATIONAL } from '../../net/http/safe-http-client.js';
import type { OutboundRoute } from '../../net/http/outbound-route.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { ACCEPT_ENCODING, decoded, decodersOf } from './content-headers.js';
import { timedOut, toDownloadError, type FetchPhase, bodyFailed, bodyTooLarge } from './download-errors.js';

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

/** Of an answer's head; some sites set dozens of cookies and a policy of kilobytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * The one place that uses got-scraping: a plain got instance with none of its hooks, so no imitated browser, no
 * protocol probe past the agents, no certificate left unchecked, no decompression, no retries. Answers are read as
 * leniently as browsers and curl read them, since no connection is used twice. Loaded with the first request.
 */
export class HttpClient {
  readonly #instance: Remembered<Got>;

  constructor(private readonly options: HttpClientOptions) {
    this.#instance = new Remembered(() => createInstance(options));
  }

  async prepare(): Promise<void> {
    await this.#instance.get();
  }

  /** @throws ApiError of SPEC §7; nothing is left open then. */
  async open(request: ClientRequest): Promise<ClientResponse> {
    const instance = await this.#instance.get();
    const { cookie, accept, observe } = request;
    const headers = {
      accept,
      ...(cookie === null ? {} : { cookie }),
    };
    const watched = observe === undefined ? {} : { agent: this.options.route.observedBy(observe) };
    const stream = instance.stream(request.url, { headers, ...watched });
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
    return await abortable<ClientResponse>(deadline.signal, (resolve, reject) => {
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

/** Endless 1xx answers and protocol switches are no way to keep a request open. */
function refuseSideTracks(stream: ResponseStream, fail: (error: unknown) => void): void {
  let informational = 0;
  stream.on('information', () => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL)
      fail(outboundError('bad_http', 'too many informational responses'));
  });
  stream.once('upgrade', (_response: unknown, socket: Socket) => {
    socket.destroy();
    fail(outboundError('bad_http', 'unexpected protocol upgrade'));
  });
}

/** The answer for a request that its deadline ended; a cancelled one is not a time-out. */
function deadlineError(deadline: Deadline, phase: FetchPhase): Error {
  const error = deadline.error(`timeout_${phase}`, `while waiting for ${phase}`);
  return error.reason === 'aborted' ? toDownloadError(error, 'connect') : timedOut(phase, error.detail ?? '');
}

/** Read on end, the ten megabytes of a fast origin take the event loop for twenty milliseconds. */
const READ_PER_TURN_BYTES = 256 * 1024;
/**
 * Bytes that are none of the body, beside a quarter of it: what waits in buffers, and the sizes of chunks. Ten
 * million chunks of one byte each would take the event loop for ten seconds.
 */
const MAX_OVERHEAD_BYTES = 320 * 1024;
interface BodyOptions {
  /** A body of this many bytes, compressed or not, is too large already; SPEC §4.7.5. */
  maxBytes: number;
  deadline: Deadline;
}

/**
 * Reads and decompresses a body. The connection is closed in every case.
 * @throws ApiError 502 `M_TOO_LARGE` (limit or time), 502 for a body that breaks, 500 for an unknown encoding.
 */
export async function readBody(response: ClientResponse, options: BodyOptions): Promise<Buffer> {
  const { deadline, maxBytes } = options;
  const unlink = onAbort(deadline.signal, () => response.destroy(deadlineError(deadline, 'body')));
  try {
    const decoders = decodersOf(response.headers['content-encoding']);
    const statedBytes = statedSize(response);
    if (statedBytes !== null && statedBytes > maxBytes) throw bodyTooLarge(maxBytes);
    const chunks: Buffer[] = [];
    for await (const chunk of paced(response, maxBytes)) chunks.push(chunk);
    return await decoded(Buffer.concat(chunks), decoders, maxBytes);
  } catch (error) {
    throw toDownloadError(error, 'body');
  } finally {
    unlink();
    response.destroy();
  }
}

/** RFC 9112 §6.3: chunks override a stated length. */
function statedSize({ headers }: ClientResponse): number | null {
  const { 'content-length': length, 'transfer-encoding': transfer } = headers;
  return length === undefined || transfer !== undefined ? null : Number(length);
}

/**
 * The body as it comes, with turns for others in between. Fails when it is mostly chunk sizes, or too large before it
 * is decompressed: an endless one may unpack to nothing.
 */
async function* paced(response: ClientResponse, maxBytes: number): AsyncGenerator<Buffer> {
  const startBytes = response.wireBytes();
  let bodyBytes = 0;
  let restedBytes = startBytes;
  for await (const chunk of response.body) {
    bodyBytes += chunk.length;
    if (bodyBytes >= maxBytes) throw bodyTooLarge(maxBytes);
    const readBytes = response.wireBytes();
    const overheadBytes = readBytes - startBytes - bodyBytes;
    if (overheadBytes > MAX_OVERHEAD_BYTES + bodyBytes / 4)
      throw bodyFailed('bad_http', 'chunks are too small');
    yield chunk;
    if (readBytes - restedBytes < READ_PER_TURN_BYTES) continue;
    restedBytes = readBytes;
    await nextTurn();
  }
}
