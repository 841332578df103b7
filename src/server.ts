import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Express } from 'express';

import type { Logger } from './core/logger.js';
import { failExchange, openExchange } from './rest/exchange.js';
import type { Exchange, ExchangeOptions } from './rest/exchange.js';
import type { KeyRoutes } from './rest/keys.js';

/** One address and port with what is served there. */
export interface ListenerOptions extends ExchangeOptions {
  host: string;
  port: number;
  tls: { certificate: string; privateKey: string } | null;
  /** `null` when the listener does not serve the key routes. */
  keyRoutes: KeyRoutes | null;
  /** Everything else; built with the exchanges of this listener. */
  app(exchangeOf: (response: ServerResponse) => Exchange): Express;
  headTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
}

/** Request heads above this are refused with 431. */
const MAX_HEAD_BYTES = 16 * 1024;
const CONNECTIONS_CHECK_INTERVAL_MS = 2000;
const CLOSE_IDLE_INTERVAL_MS = 50;

/** An open listener. */
export class Listener {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Binds and starts to serve. Rejects when the address is taken or not ours. */
  static async open(options: ListenerOptions): Promise<Listener> {
    const exchanges = new WeakMap<ServerResponse, Exchange>();
    const app = options.app((response) => {
      const exchange = exchanges.get(response);
      if (exchange === undefined) throw new Error('response without an exchange');
      return exchange;
    });
    const server = createNodeServer(options, (request, response) => {
      const exchange = openExchange(request, response, options);
      if (serveKeys(exchange, options)) return;
      exchanges.set(response, exchange);
      app(request, response);
    });
    server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket, options.logger));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // Each address stands for itself: `::` must not take the IPv4 port that is another entry's.
      const ipv6Only = options.host.includes(':');
      server.listen({ host: options.host, port: options.port, ipv6Only }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return new Listener(server, urlOf(server.address() as AddressInfo, options));
  }

  /** Takes no new connections, lets running requests finish, and cuts off what is left after `drainMs`. */
  async close(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    // A connection that has just been answered counts as busy for a moment, so idle ones are closed repeatedly.
    const idle = setInterval(() => this.server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
    const cut = setTimeout(() => this.server.closeAllConnections(), drainMs);
    this.server.closeIdleConnections();
    await closed;
    clearInterval(idle);
    clearTimeout(cut);
  }
}

/** The key routes are tried first and bypass Express; `true` when they took the exchange. */
function serveKeys(exchange: Exchange, options: ListenerOptions): boolean {
  if (options.keyRoutes === null) return false;
  try {
    const handled = options.keyRoutes.handle(exchange);
    if (handled === false) return false;
    handled?.catch((error: unknown) => failExchange(exchange, error, options));
  } catch (error) {
    failExchange(exchange, error, options);
  }
  return true;
}

function createNodeServer(
  options: ListenerOptions,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const settings = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: options.headTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: CONNECTIONS_CHECK_INTERVAL_MS,
  };
  if (options.tls === null) return createServer(settings, listener);
  const { certificate, privateKey } = options.tls;
  return createTlsServer(
    { ...settings, cert: certificate, key: privateKey, minVersion: 'TLSv1.2' },
    listener,
  );
}

const BROKEN_REQUESTS: Record<string, [status: string, errcode: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'M_TOO_LARGE', 'Request head is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'M_UNKNOWN', 'The request took too long to arrive'],
};

/** Requests that are no HTTP get the JSON error shape too, as far as the connection still allows. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  logger.debug({ code: error.code }, 'request could not be read');
  const [status, errcode, message] = BROKEN_REQUESTS[error.code ?? ''] ?? [
    '400 Bad Request',
    'M_UNKNOWN',
    'The request is not valid HTTP',
  ];
  const body = JSON.stringify({ errcode, error: message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n${body}`,
  );
}

function urlOf(address: AddressInfo, options: ListenerOptions): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${options.tls === null ? 'http' : 'https'}://${host}:${address.port}`;
}
