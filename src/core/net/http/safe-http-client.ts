import http from 'node:http';
import type net from 'node:net';
import type { Duplex } from 'node:stream';

import type { Client } from '../../base/fair-queue.js';
import { abortable, type Deadline } from '../../base/deadline.js';
import { ApiError, errorCode } from '../../base/errors/api-error.js';
import { headersOf } from '../../base/raw-headers.js';
import { bodyStart } from '../../base/text/strings.js';
import {
  type AddressGate,
  connectJudged,
  failOnClose,
  judgedAddresses,
  type Guard,
  observedPhase,
  refuseSideTracks,
  type OutboundObserver,
} from './guarded-connect.js';
import type { ResolvedAddress } from '../dns/system-files.js';
import {
  createTrust,
  type KeptConnection,
  secureConnection,
  type SecureConnection,
  type Trust,
  type TrustOptions,
} from './secure-connect.js';
import { outboundError, toOutboundError } from '../../base/errors/outbound-error.js';

/** Settings of the client. */
export interface SafeHttpClientOptions extends Guard, TrustOptions {
  connectTimeoutMs: number;
  userAgent: string;
  /** Limits connections by their address; absent: no limit. */
  gate?: AddressGate | undefined;
}

/** One https GET. */
export interface OutboundRequest {
  /** Name or address (no brackets) to connect to. */
  host: string;
  port: number;
  hostHeader: string;
  /** What the certificate must be for; may differ from `host`. */
  tlsName: string;
  path: string;
  maxBodyBytes: number;
  deadline: Deadline;
  /** Whether an operator wants to see a short body of an answer with another status than 2xx. */
  looksAtRefused?: boolean;
  /** On whose behalf names are looked up and connections opened. */
  client?: Client | undefined;
  /** Whether the server that is asked for has answered before. */
  isKnown?: boolean | undefined;
  /** Whether most servers have nothing at this port. */
  isOptional?: boolean;
  /** Where a connection may come from that an earlier request of the same work left open. */
  kept?: KeptConnection | undefined;
  /** Whether the connection of a good answer goes to `kept`. */
  keepsOpen?: boolean;
  observe?: OutboundObserver;
}

/** An answer; of another status than 2xx `body` is empty unless it is looked at, short and soon there. */
export interface OutboundResponse {
  status: number;
  /** Lower-case names; values of repeated headers joined by `, `. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

const MAX_ERROR_PAGE_BYTES = 64 * 1024;
const ERROR_PAGE_MS = 2000;
const NOTHING = Buffer.alloc(0);
/** Of an answer's head. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** A handshake takes more round trips, and work on the other side, than a connect. */
const HANDSHAKE_FACTOR = 2;

/**
 * The one way out over https: address judged and connected to as judged, certificate verified on this
 * connection, answer bounded in time and bytes. Each request has a connection of its own, unless one is kept for it,
 * and resumes no TLS session. Redirects are returned, not followed.
 */
export class SafeHttpClient {
  readonly #trust: Trust;

  constructor(private readonly options: SafeHttpClientOptions) {
    this.#trust = createTrust(options);
  }

  /** @throws ApiError whose reason is one of `OutboundReason`. */
  async fetchBounded(request: OutboundRequest): Promise<OutboundResponse> {
    const { deadline, host, client } = request;
    const addresses = await observedPhase(request.observe, 'address', {
      run: () => deadline.race(judgedAddresses(host, this.options, client), 'dns_timeout', host),
      detail: (found) => ({ addresses: found.map(({ address }) => address).join(' ') }),
    });
    try {
      return await this.#fetchAt(addresses, request);
    } catch (error) {
      // A host that moved must be found at its new address by the next request.
      this.options.resolver.forget(request.host);
      throw error;
    }
  }

  async #fetchAt(addresses: readonly ResolvedAddress[], request: OutboundRequest): Promise<OutboundResponse> {
    const { observe, port, deadline, client, isKnown = false, isOptional = false, kept } = request;
    const { gate, connectTimeoutMs } = this.options;
    const to = `${request.host} ${port} ${request.tlsName}`;
    const open = kept?.take(to) ?? null;
    const enter =
      gate && ((address: string) => gate.enter(address, { client, deadline, isKnown, isOptional }));
    const socket = await observedPhase(observe, 'connect', {
      run: async () => open?.plain ?? connectJudged(addresses, port, { deadline, connectTimeoutMs, enter }),
      detail: (connected) => ({ address: connected.remoteAddress ?? '', port }),
    });
    let [secured, isHeld]: [SecureConnection | null, boolean] = [open, false];
    try {
      const { remoteAddress = '' } = socket;
      const connection = await observedPhase(observe, 'tls', {
        run: async () => open ?? this.#secure(socket, request),
        detail: tlsDetail,
      });
      secured = connection;
      const response = await observedPhase(observe, 'response', {
        run: () => this.#get(connection.socket, remoteAddress, request),
        detail: responseDetail,
      });
      if (request.keepsOpen === true && isGood(response.status))
        isHeld = kept?.hold({ ...connection, plain: socket }, to) === true;
      return response;
    } catch (error) {
      // Its peer may have closed it meanwhile.
      const isClosed = open !== null && error instanceof ApiError && error.reason === 'connection_reset';
      if (isClosed) return await this.#fetchAt(addresses, request);
      throw error;
    } finally {
      if (!isHeld) {
        secured?.socket.destroy();
        socket.destroy();
      }
    }
  }

  #secure(socket: net.Socket, { tlsName, deadline }: OutboundRequest): Promise<SecureConnection> {
    return deadline.within(HANDSHAKE_FACTOR * this.options.connectTimeoutMs, (limit) =>
      secureConnection(socket, { trust: this.#trust, tlsName, deadline: limit }),
    );
  }

  /** Sends one GET and reads the answer: strict parser, no compression, 16 KiB of headers, a body that is counted. */
  async #get(socket: Duplex, address: string, request: OutboundRequest): Promise<OutboundResponse> {
    const response = await responseHead(socket, { ...request, userAgent: this.options.userAgent });
    this.options.gate?.answered(address);
    response.on('error', () => {});
    const { deadline, maxBodyBytes, looksAtRefused = false } = request;
    const status = response.statusCode ?? 0;
    const headers = new Map([...headersOf(response)].map(([name, values]) => [name, values.join(', ')]));
    if (!isGood(status)) {
      const body = looksAtRefused ? await readErrorPage(response, deadline) : NOTHING;
      return { status, headers, body };
    }
    refuseEncodings(headers);
    return { status, headers, body: await readBody(response, { deadline, maxBodyBytes }) };
  }
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 300;

/** What was seen of the certificate, with at most 100 of its names, each cut to 300 characters. */
function tlsDetail({ socket, certificate }: SecureConnection): Record<string, string | number> {
  const names = (certificate.subjectaltname ?? '').split(', ', MAX_NAMES);
  return {
    tlsVersion: socket.getProtocol() ?? 'unknown',
    certificateSha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    certificateNames: names.map((name) => name.slice(0, MAX_NAME_LENGTH)).join(' '),
    certificateValidToTs: Date.parse(certificate.valid_to),
  };
}

function responseDetail(result: OutboundResponse): Record<string, string | number> {
  return {
    status: result.status,
    bytes: result.body.length,
    contentType: (result.headers.get('content-type') ?? '').slice(0, 200),
    ...(result.status === 200 || result.body.length === 0 ? {} : { body: bodyStart(result.body) }),
  };
}

function responseHead(
  socket: Duplex,
  { deadline, path, hostHeader, keepsOpen = false, userAgent }: OutboundRequest & { userAgent: string },
): Promise<http.IncomingMessage> {
  return abortable<http.IncomingMessage>(deadline, (resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method: 'GET',
      path,
      setHost: false,
      headers: {
        Host: hostHeader,
        'Accept-Encoding': 'identity',
        'User-Agent': userAgent,
        Connection: keepsOpen ? 'keep-alive' : 'close',
      },
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(toOutboundError(error, 'bad_http'));
    };
    request.on('error', fail);
    const hasAnswered = failOnClose(request, fail, ['connection_reset', 'closed before a response']);
    request.once('response', (response) => {
      hasAnswered();
      resolve(response);
    });
    refuseSideTracks(request, fail);
    request.end();
    return () => fail(deadline.error('timeout_headers', 'incomplete response headers'));
  });
}

function refuseEncodings(headers: ReadonlyMap<string, string>): void {
  const content = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const transfer = headers.get('transfer-encoding')?.trim().toLowerCase() ?? 'chunked';
  if (content !== 'identity' && content !== '') throw outboundError('http_encoding', 'compressed body');
  if (transfer !== 'chunked') throw outboundError('http_encoding', 'unknown transfer encoding');
}

/** Counted as it arrives. */
export async function readBody(
  response: http.IncomingMessage,
  { deadline, maxBodyBytes }: Pick<OutboundRequest, 'deadline' | 'maxBodyBytes'>,
): Promise<Buffer> {
  const tooLarge = (): Error => outboundError('too_large', `body is larger than ${maxBodyBytes} bytes`);
  if (Number(response.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  return abortable<Buffer>(deadline, (resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const fail = (error: unknown): void => {
      response.destroy();
      reject(toOutboundError(error, 'body_cut'));
    };
    response.on('error', (error) => fail(bodyError(error)));
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBodyBytes) fail(tooLarge());
      else chunks.push(chunk);
    });
    const isWhole = failOnClose(response, fail, ['body_cut', 'connection closed inside the body']);
    response.once('end', () => {
      if (!response.complete) return;
      isWhole();
      resolve(Buffer.concat(chunks));
    });
    return () => fail(deadline.error('timeout_body', `${received} bytes received`));
  });
}

function readErrorPage(response: http.IncomingMessage, whole: Deadline): Promise<Buffer> {
  return whole
    .within(ERROR_PAGE_MS, (deadline) => readBody(response, { maxBodyBytes: MAX_ERROR_PAGE_BYTES, deadline }))
    .catch(() => NOTHING);
}

/** A reset in the middle of a body is a cut body, whatever the system calls it; a parser error stays one. */
function bodyError(error: Error): Error {
  const code = errorCode(error);
  return code.startsWith('HPE_') ? error : outboundError('body_cut', `${code}: ${error.message}`, error);
}
