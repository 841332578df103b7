import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';

import { unavailable, ApiError } from '../core/base/errors/api-error.js';
import { EventLoopQueue } from '../core/base/limits/event-loop-queue.js';
import { KEY_EXCHANGE } from '../core/base/runtime/key-exchange.js';
import type { ClientBounds } from '../rest/bounds/client-bounds.js';
import { RequestPipeline } from '../rest/bounds/client-connections.js';
import type { FromMemory } from '../rest/peers/keys.js';
import { NO_TUNNEL, refuseBrokenRequest, refuseConnection } from '../rest/broken-request.js';
import { ExchangeOpener, type Exchange, type ExchangeOptions } from '../rest/request-exchange.js';

export interface ListenerOptions extends ExchangeOptions {
  bounds: ClientBounds;
  host: string;
  port: number;
  tls: { certificate: string; privateKey: string } | null;
  /** Answers what it can ahead of Express; `null` leaves everything to it. */
  fromMemory: FromMemory | null;
  app: Express;
  requestTimeoutMs: number;
}

/** Request heads above this are refused with 431. */
const MAX_HEAD_BYTES = 16 * 1024;
/** For the head of a request, and for a TLS handshake. */
const HEAD_TIMEOUT_MS = 10_000;
/** Longer than the minute after which proxies close a connection, so that they do not meet a closed one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS_CHECK_INTERVAL_MS = 2000;
const CLOSE_IDLE_INTERVAL_MS = 50;
/** Connections that wait to be accepted; Node's 511 are filled by one client that comes again whenever it is reset. */
const BACKLOG = 4096;
/** What a request counts in the queue of the event loop: six of them begin in one iteration, of each client in turn. */
const REQUEST_BYTES = 2048;
const LAST_WORD_MS = 500;

export class Listener {
  private constructor(
    private readonly server: Server,
    private readonly opener: ExchangeOpener,
    readonly url: string,
  ) {}

  /** Binds and starts to serve. Rejects when the address is taken or not ours. */
  static async open(options: ListenerOptions): Promise<Listener> {
    const { host, port } = options;
    const opener = new ExchangeOpener(options);
    const server = createNodeServer(options, opener);
    const { lingering } = options.bounds;
    // Nobody who asks in the moment in which an idle connection is closed meets a reset. `server.close` calls it, too.
    server.closeIdleConnections = () => {
      for (const socket of opener.idleConnections()) lingering.close(socket);
    };
    server.on('timeout', (socket: Socket) => lingering.close(socket));
    boundConnections(server, options, opener);
    server.on('connect', (_request, socket) => refuseConnection(socket, NO_TUNNEL, lingering));
    server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket, options));
    // Each address stands for itself: `::` must not take the IPv4 port that is another entry's.
    server.listen({ host, port, ipv6Only: host.includes(':'), backlog: BACKLOG });
    await once(server, 'listening');
    return new Listener(server, opener, urlOf(server.address(), options));
  }

  /** From now on each answer is the last of its connection, so that clients who keep asking leave by themselves. */
  endConnections(): void {
    this.opener.endConnections();
  }

  /**
   * Takes no new connections, lets running requests finish, and answers 503 to what is left after `drainMs`; a moment
   * later what still has not ended, such as a long download, is cut off.
   */
  async close(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    // A connection that has just been answered counts as busy for a moment, so idle ones are closed repeatedly.
    const idle = setInterval(() => this.server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
    let cut = setTimeout(() => {
      this.opener.cutOff();
      cut = setTimeout(() => this.server.closeAllConnections(), LAST_WORD_MS);
    }, drainMs);
    await closed;
    clearInterval(idle);
    clearTimeout(cut);
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers requests, of each client in turn. */
function answerWith(options: ListenerOptions, opener: ExchangeOpener): Answer {
  const queue = new EventLoopQueue(false);
  return (request, response) => {
    request.url = originForm(request.url ?? '');
    const exchange = opener.open(request, response);
    if (!isAdmitted(exchange, options)) return;
    if (!namesItsHost(request)) {
      exchange.fail(new ApiError(400, 'The request names no host, or several'));
      return;
    }
    const { client } = exchange;
    const work = (): unknown => response.destroyed || options.app(request, response);
    const route = (): void => queue.run({ client, bytes: REQUEST_BYTES }, work);
    if (options.fromMemory === null) route();
    else options.fromMemory(exchange, route);
  };
}

/** Once, as RFC 9112 §3.2 wants it; in HTTP/1.0 at most once. Node takes the first of several for all. */
function namesItsHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const isHost = (text: string, at: number): boolean => at % 2 === 0 && text.toLowerCase() === 'host';
  const hosts = rawHeaders.filter(isHost).length;
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** A target in absolute form (RFC 9112, 3.2.2) without scheme and authority; others as they are. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return target;
  const path = target.slice(scheme.length).search(/[/?]/);
  if (path === -1) return '/';
  const rest = target.slice(scheme.length + path);
  return rest.startsWith('?') ? `/${rest}` : rest;
}

/** Behind a proxy; refused, it takes its connection with it, since its body may still be on its way. */
function isAdmitted(exchange: Exchange, options: ListenerOptions): boolean {
  const { response, address } = exchange;
  if (!options.xForwarded || options.bounds.connections.admitRequest(response, address)) return true;
  response.shouldKeepAlive = false;
  exchange.fail(unavailable('requests_waiting', 'Too many requests of this client are in progress'));
  return false;
}

/** Takes connections as far as there are places, and watches what they leave unread. */
function boundConnections(server: Server, options: ListenerOptions, opener: ExchangeOpener): void {
  const { bounds, tls, xForwarded } = options;
  const watch = (socket: Socket): void => {
    bounds.stalled.watch(socket);
    bounds.lingering.watch(socket);
    opener.watch(socket);
  };
  server.on('connection', (socket: Socket) => {
    if (bounds.connections.admit(socket, xForwarded) && tls === null) watch(socket);
  });
  server.on('secureConnection', watch);
}

function createNodeServer(options: ListenerOptions, opener: ExchangeOpener): Server {
  const { tls, requestTimeoutMs: requestTimeout, app } = options;
  const pipeline = new RequestPipeline(options.bounds.reached);
  const inTurn =
    (answer: Answer): Answer =>
    (request, response) => {
      if (response.socket !== null) answer(request, response);
      else pipeline.wait(response, () => answer(request, response));
    };
  const listener = inTurn(answerWith(options, opener));
  const headersTimeout = Math.min(HEAD_TIMEOUT_MS, requestTimeout);
  const settings = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECK_INTERVAL_MS,
    // Node would answer such requests itself, without a body; we do it in the listener.
    requireHostHeader: false,
    ...messagesOf(app),
  };
  const secure = { handshakeTimeout: headersTimeout, minVersion: 'TLSv1.2', ...KEY_EXCHANGE } as const;
  const server =
    tls === null
      ? createServer(settings, listener)
      : createTlsServer({ ...settings, ...secure, cert: tls.certificate, key: tls.privateKey }, listener);
  const refuseExpectation: Answer = (request, response) =>
    opener.open(request, response).fail(new ApiError(417, 'The expectation of the request cannot be met'));
  server.on('checkExpectation', inTurn(refuseExpectation));
  // None of a head is passed over: its bytes bound their number.
  server.maxHeadersCount = 0;
  return server;
}

/**
 * Requests and answers with Express's prototypes from the start. It gives them to every one it handles, and a changed
 * prototype slows down all that Node does with the object later: that was half of an answer from memory.
 */
function messagesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

function urlOf(address: AddressInfo | string | null, options: ListenerOptions): string {
  if (address === null || typeof address === 'string') throw new Error('the listener has no network address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${options.tls === null ? 'http' : 'https'}://${host}:${address.port}`;
}
