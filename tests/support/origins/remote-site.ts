import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';

import { listenOnFreshPort } from '../fresh-port.js';
import type { TestCertificate } from './test-ca.js';

/** One request as a web server saw it. */
export interface SiteHit {
  /** Path with query. */
  path: string;
  host: string;
  /** Names and values as sent, alternating. */
  rawHeaders: readonly string[];
  headers: http.IncomingHttpHeaders;
}

/** Answers one path; `response` may be held open. */
export type SitePage = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** A web server on loopback. Unknown paths get 404. */
export interface RemoteSite {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, or another host name. */
  url(path: string, host?: string): string;
  /** Pages by path without query; may be changed while running. */
  readonly pages: Map<string, SitePage>;
  readonly hits: SiteHit[];
  /** Connections accepted so far, with and without a request. */
  readonly connections: { count: number; open: number };
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Makes it an https server. */
  certificate?: TestCertificate;
  /** Where it listens, `127.0.0.1` by default. */
  address?: string;
}

/** A page with a status, a type and a body. */
export function page(
  body: string | Buffer,
  { status = 200, type = 'text/html', headers = {} }: PageOptions = {},
): SitePage {
  return (_request, response) => {
    response.writeHead(status, { ...(type === null ? {} : { 'content-type': type }), ...headers });
    response.end(body);
  };
}

interface PageOptions {
  status?: number;
  type?: string | null;
  headers?: http.OutgoingHttpHeaders;
}

/** A redirect. */
export function redirect(location: string, status = 302, headers: http.OutgoingHttpHeaders = {}): SitePage {
  return (_request, response) => {
    response.writeHead(status, { location, ...headers });
    response.end('moved');
  };
}

/** Starts a web server. */
export async function startRemoteSite({
  certificate,
  address = '127.0.0.1',
}: SiteOptions = {}): Promise<RemoteSite> {
  const pages = new Map<string, SitePage>();
  const hits: SiteHit[] = [];
  const connections = { count: 0, open: 0 };
  const sockets = new Set<Socket>();
  const serve: SitePage = (request, response) => {
    const path = request.url ?? '';
    hits.push({
      path,
      host: request.headers.host ?? '',
      rawHeaders: request.rawHeaders,
      headers: request.headers,
    });
    const answer = pages.get(path.split('?')[0] ?? '') ?? page('not found', { status: 404 });
    answer(request, response);
  };
  const server =
    certificate === undefined ? http.createServer(serve) : https.createServer(certificate, serve);
  server.on('connection', (socket: Socket) => {
    connections.count += 1;
    connections.open += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      connections.open -= 1;
      sockets.delete(socket);
    });
  });
  server.on('tlsClientError', () => {});
  const port = await listenOnFreshPort(server, address);
  const scheme = certificate === undefined ? 'http' : 'https';
  return {
    port,
    url: (path, host = address) => `${scheme}://${host}:${port}${path}`,
    pages,
    hits,
    connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
