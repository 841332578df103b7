import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { RefusedRequest } from '../core/base/errors/api-error.js';
import type { ReachedClientBounds } from '../core/base/limits/reached-bounds.js';
import { newRequestId, type Logger } from '../core/base/logger.js';
import type { LingeringConnections } from './bounds/client-connections.js';
import { CLIENT_HEADERS } from './respond.js';

/** What a connection is sent before it is closed: status, error code, value of `Error-Reason`, sentence. */
interface BrokenRequest {
  text: readonly [status: string, errcode: string, reason: string, message: string];
  header?: readonly [string, string];
}

const BY_CODE: ReadonlyMap<string, BrokenRequest['text']> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['431 Request Header Fields Too Large', 'M_TOO_LARGE', 'head_too_large', 'Request head is too large'],
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    ['408 Request Timeout', 'M_UNKNOWN', 'request_too_slow', 'The request took too long to arrive'],
  ],
]);
const NO_HTTP = ['400 Bad Request', 'M_UNKNOWN', 'bad_http', 'The request is not valid HTTP'] as const;

const BOUNDS: ReadonlyMap<string, RefusedRequest> = new Map([
  ['HPE_HEADER_OVERFLOW', 'head'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'slow_request'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'handshake'],
]);

/** The answer to CONNECT: this is no proxy. */
export const NO_TUNNEL: BrokenRequest = {
  text: ['405 Method Not Allowed', 'M_UNRECOGNIZED', 'unrecognized', 'Unrecognized request'],
  header: ['Allow', 'GET, HEAD, POST, OPTIONS'],
};

/** Requests that are no HTTP get the JSON error shape too, as far as the connection still allows. */
export function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  options: {
    logger: Logger;
    bounds: { readonly reached: ReachedClientBounds; readonly lingering: LingeringConnections };
  },
): void {
  const { reached, lingering } = options.bounds;
  const bound = BOUNDS.get(error.code ?? '');
  if (bound !== undefined)
    reached.note(bound, { client: socket instanceof Socket ? socket.remoteAddress : undefined });
  // What is written before TLS stands waits for it.
  if (error.code === 'ECONNRESET' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = refuseConnection(socket, { text: BY_CODE.get(error.code ?? '') ?? NO_HTTP }, lingering);
  options.logger.debug({ request_id: requestId, code: error.code }, 'request could not be read');
}

/** Writes an error answer to a bare connection and closes it. Returns the id that the answer bears. */
export function refuseConnection(
  socket: Duplex,
  { text: [status, errcode, reason, message], header }: BrokenRequest,
  lingering: LingeringConnections,
): string {
  const requestId = newRequestId();
  const body = JSON.stringify({ errcode, error: message });
  const headers = [
    ...CLIENT_HEADERS,
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Error-Reason', reason],
    ['X-Request-Id', requestId],
    ['Connection', 'close'],
    ...(header === undefined ? [] : [header]),
  ];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n${body}`);
  lingering.close(socket);
  return requestId;
}
