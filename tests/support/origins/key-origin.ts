import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { listenOnFreshPort } from '../fresh-port.js';
import type { TestCertificate } from './test-ca.js';

/** What one request looked like. */
export interface OriginHit {
  path: string;
  host: string;
  /** Server name indicated by the client; null when it sent none. */
  sni: string | null;
  headers: IncomingMessage['headers'];
  isSessionReused: boolean;
}

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface KeyOriginOptions {
  certificate: TestCertificate;
  /** May be swapped later through `origin.respond`. */
  respond: Respond;
  /** Address to listen at, 127.0.0.1 by default. */
  address?: string;
  minTlsVersion?: 'TLSv1.2' | 'TLSv1.3';
  maxTlsVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
}

/** A real TLS server on a free port. */
export interface KeyOrigin {
  readonly port: number;
  /** `127.0.0.1:PORT` (or `[::1]:PORT`): a server name for it. */
  readonly serverName: string;
  readonly hits: OriginHit[];
  /** TCP connections accepted, whether or not TLS came about. */
  readonly connections: number;
  respond: Respond;
  /** Ends all open TCP connections with a reset. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts an origin; it counts what reaches it. */
export async function startKeyOrigin(options: KeyOriginOptions): Promise<KeyOrigin> {
  const address = options.address ?? '127.0.0.1';
  const hits: OriginHit[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const origin = { respond: options.respond };
  const server = https.createServer(
    { ...options.certificate, minVersion: options.minTlsVersion, maxVersion: options.maxTlsVersion },
    (request, response) => {
      const socket = request.socket as TLSSocket & { servername?: string | false };
      hits.push({
        path: request.url ?? '',
        host: request.headers.host ?? '',
        sni: socket.servername || null,
        headers: request.headers,
        isSessionReused: socket.isSessionReused(),
      });
      response.on('error', () => {});
      origin.respond(request, response);
    },
  );
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  const port = await listenOnFreshPort(server, address);
  return Object.defineProperties(origin as KeyOrigin, {
    port: { value: port },
    serverName: { value: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}` },
    hits: { value: hits },
    connections: { get: () => connections },
    reset: {
      value: () => {
        for (const socket of sockets) socket.resetAndDestroy();
      },
    },
    close: {
      value: () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    },
  });
}

/** Answers 200 with a JSON text. */
export const respondJson =
  (body: string | Buffer, headers: Record<string, string> = {}): Respond =>
  (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(body);
  };

/** Answers with a status, a short body and headers. */
export const respondStatus =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (_request, response) => {
    response.writeHead(status, headers).end('status body');
  };

/** Redirects to an address. */
export const respondRedirect = (location: string, status = 302): Respond =>
  respondStatus(status, { Location: location });

/** Accepts the request and never answers. */
export const respondNever: Respond = () => {};

/** Sends a head and then a byte now and then, without end. */
export const respondSlowly: Respond = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

/** Sends interim answers without end. */
export const respondInterim =
  (everyMs: number): Respond =>
  (_request, response) => {
    const timer = setInterval(() => response.writeProcessing(), everyMs);
    response.once('close', () => clearInterval(timer));
  };

/** Announces more than it sends, then closes. */
export const respondCut: Respond = (request, response) => {
  response.writeHead(200, { 'Content-Length': '1000' });
  response.write('{"cut":');
  setImmediate(() => request.socket.destroySoon());
};

/** Writes raw bytes to the TLS connection instead of an answer. */
export const respondRaw =
  (bytes: string): Respond =>
  (request) => {
    request.socket.end(bytes);
  };

/** Picks the answer by path; unknown paths get 404. */
export const respondByPath =
  (paths: Record<string, Respond>): Respond =>
  (request, response) => {
    const respond = new Map(Object.entries(paths)).get(request.url ?? '') ?? respondStatus(404);
    respond(request, response);
  };
