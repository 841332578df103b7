import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';

import type { AuthRequest } from '../core/access/users/authenticator.js';
import type { Client } from '../core/base/fair-queue.js';
import { parseIpAddress, addressClient } from '../core/net/address/ip-address.js';
import { ApiError, stopping, storeFull, storeUnavailable } from '../core/base/errors/api-error.js';
import { isStoreFull, isStoreUnavailable } from '../core/store/store-errors.js';
import {
  redactTarget,
  withoutRedaction,
  withoutTokens,
  type Logger,
  newRequestId,
} from '../core/base/logger.js';
import { headersOf } from '../core/base/raw-headers.js';
import type { Metrics } from '../core/base/metrics.js';
import type { ReachedClientBounds } from '../core/base/limits/reached-bounds.js';
import type { RequestLines } from './bounds/client-connections.js';
import { Query } from './params.js';
import { sendError, type Answer } from './respond.js';

/** One request and its answer on their way through the server. */
export class Exchange implements Answer {
  /** Path and query as asked for; routers shorten `request.url` on their way. */
  readonly target: string;
  /** Network address of the client, as far as it is known; empty when the connection is gone. */
  readonly address: string;
  readonly requestId: string;
  /** Route name for metrics and logs; handlers set it once they know. */
  route = 'other';
  /** Set when the service stops before the answer is there: 503 has been sent, what comes later is dropped. */
  isCutOff = false;
  /** Set when it fails for what another server, or the client, has done. */
  isRemoteFailure = false;
  /** Methods that its path serves, as far as routers have found it. */
  readonly allowedMethods = new Set<string>();
  /** Its body, once somebody has begun to read it. */
  body?: Promise<Buffer>;
  /** Answers an error; operators' pages want another form than clients. */
  sendError = sendError;

  #query: Query | null = null;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly options: ExchangeOptions,
  ) {
    this.target = request.url ?? '';
    this.address = clientAddress(request, options.xForwarded);
    const { requestIdHeader } = options;
    const stated = requestIdHeader === null ? undefined : request.headers[requestIdHeader];
    this.requestId = typeof stated === 'string' && REQUEST_ID.test(stated) ? stated : newRequestId();
  }

  get query(): Query {
    return (this.#query ??= new Query(this.target));
  }

  /** `request.headers` would silently keep only the first of several Authorization headers. */
  get credentials(): AuthRequest {
    const { parameters } = this.query;
    return {
      authorization: headersOf(this.request).get('authorization') ?? [],
      queryToken: parameters.get('access_token'),
      asUserId: parameters.get('user_id'),
      client: () => this.client,
    };
  }

  get client(): Client {
    return addressClient(this.address);
  }

  hold(): void {
    this.options.bounds.unsent.hold(this.response, this.client);
  }

  /** Opens the account of its body: what that gives is asked about each piece whether there is room for it. */
  openBody(): (pieceBytes: number) => boolean {
    return this.options.bounds.bodies.open(this.response, this.client);
  }

  line() {
    const target = redactTarget(this.target, () => this.query.parameters);
    return { request_id: this.requestId, method: this.request.method, target, client: this.address };
  }

  /** Answers with an error and logs it, unless the exchange is cut off. Never rejects. */
  fail(thrown: unknown): void {
    if (this.isCutOff) return;
    const { bounds } = this.options;
    const error = toApiError(thrown);
    if (error.bound !== null) bounds.reached.note(error.bound, { client: this.address });
    if (bounds.lines.admit(this.address)) this.#logError(error);
    if (error.isRemote) this.isRemoteFailure = true;
    if (error.reason === 'client_gone') this.response.destroy();
    else this.sendError(this, error);
  }

  /** 4xx and what another server is to blame for at info, 503 for now at warn, other 5xx at error with the cause. */
  #logError({ status: code, errcode, reason, message, cause, isRemote }: ApiError): void {
    const { logger, requestLogging } = this.options;
    const error = withoutTokens(message);
    const line = { ...this.line(), code, errcode, reason: reason ?? undefined, error };
    if (reason === 'client_gone') logger.debug(line, 'client went away');
    else if (code === 503 && !isRemote && cause === undefined)
      logger.warn(line, 'request cannot be served now');
    else if (code >= 500 && !isRemote) logger.error({ ...line, err: cause }, 'request failed');
    else if (requestLogging !== 'none')
      logger.info(line, isRemote ? 'the remote site failed' : 'request refused');
  }
}

/** Of a response that an `ExchangeOpener` has opened one for. */
export function exchangeOf({ locals }: Response): Exchange {
  const exchange: unknown = locals['exchange'];
  if (exchange instanceof Exchange) return exchange;
  throw new Error('response without an exchange');
}

export interface ExchangeOptions {
  logger: Logger;
  metrics: Metrics;
  /** What clients may leave unread, and unfinished, and how much is logged of them. */
  bounds: {
    readonly reached: ReachedClientBounds;
    readonly lines: Pick<RequestLines, 'admit'>;
    readonly unsent: { hold(response: ServerResponse, client: Client): unknown };
    readonly bodies: { open(response: ServerResponse, client: Client): (pieceBytes: number) => boolean };
  };
  /** Which answered requests get a log line; setting log.requests. */
  requestLogging: 'all' | 'errors' | 'none';
  /** Header that carries a request id from the outside, lower case; `null` when none is taken over. */
  requestIdHeader: string | null;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
}

const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;

/** An open connection. */
interface Connection {
  /** Being answered; one at a time. */
  exchange: Exchange | null;
  /** How far it had been read when its last request was answered. */
  bytesRead: number;
}

export class ExchangeOpener {
  #isEnding = false;
  readonly #logger: Logger;
  /** No Set of exchanges: in V8, adding and deleting one for each request keeps garbage alive, half of its time. */
  readonly #connections = new Map<Socket, Connection>();

  constructor(private readonly options: ExchangeOptions) {
    this.#logger = withoutRedaction(options.logger);
  }

  /** Knows a connection until it is closed. */
  watch(socket: Socket): void {
    this.#connections.set(socket, { exchange: null, bytesRead: 0 });
    socket.on('close', () => this.#connections.delete(socket));
  }

  /** Connections without a request, or a part of one. */
  idleConnections(): Socket[] {
    return Array.from(this.#connections, ([socket, { exchange, bytesRead }]) =>
      exchange === null && socket.bytesRead === bytesRead && !socket.writableEnded ? [socket] : [],
    ).flat();
  }

  /** Opens an exchange: gives it an id, and logs and counts it when its answer has been sent. */
  open(request: IncomingMessage, response: ServerResponse): Exchange {
    const startedMs = performance.now();
    const exchange = new Exchange(request, response, this.options);
    // Express makes `locals` only where there are none.
    Object.assign(response, { locals: { exchange } });
    const connection = this.#connections.get(request.socket);
    if (connection !== undefined) connection.exchange = exchange;
    if (this.#isEnding) response.shouldKeepAlive = false;
    response.on('close', () => {
      // The next request of a connection may have begun.
      if (connection?.exchange === exchange)
        Object.assign(connection, { exchange: null, bytesRead: request.socket.bytesRead });
      this.#close(exchange, performance.now() - startedMs);
    });
    return exchange;
  }

  /** From now on each answer is the last of its connection, and says so. */
  endConnections(): void {
    this.#isEnding = true;
    for (const { response } of this.#open()) response.shouldKeepAlive = false;
  }

  /** Answers with 503 what has no answer yet. */
  cutOff(): void {
    for (const exchange of this.#open()) {
      if (exchange.response.headersSent) continue;
      exchange.fail(stopping());
      exchange.isCutOff = true;
    }
  }

  #open(): Exchange[] {
    return Array.from(this.#connections.values(), ({ exchange }) => exchange ?? []).flat();
  }

  #close(exchange: Exchange, ms: number): void {
    const { metrics, requestLogging, bounds } = this.options;
    const { request, response, route } = exchange;
    const code = response.headersSent ? response.statusCode : 499;
    metrics.httpRequests.inc({ route, method: knownMethod(request.method ?? 'GET'), code });
    metrics.httpSeconds.observe({ route }, ms / 1000);
    if (code === 500 && !exchange.isRemoteFailure) metrics.internalErrors.inc();
    if (requestLogging !== 'all' || code >= 400 || !bounds.lines.admit(exchange.address)) return;
    this.#logger.info({ ...exchange.line(), code, ms: Math.round(ms * 1000) / 1000 }, 'request');
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStoreFull(error)) return storeFull(error);
  return isStoreUnavailable(error)
    ? storeUnavailable(error)
    : new ApiError(500, 'Internal server error', { cause: error });
}

/**
 * The peer's address, or the one the nearest proxy states when the listener is told to trust it. What is stated and is
 * no address is ignored: it would be logged and counted as one.
 */
function clientAddress(request: IncomingMessage, xForwarded: boolean): string {
  const direct = request.socket.remoteAddress ?? '';
  if (!xForwarded) return direct;
  const header = request.headers['x-forwarded-for'];
  const stated = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim() ?? '';
  return parseIpAddress(stated) === null ? direct : stated;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Methods are untrusted text too; anything unusual is one label. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
