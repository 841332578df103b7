import http from 'node:http';
import type net from 'node:net';

import { abortable, type Deadline } from '../../base/deadline.js';
import { MAX_HEADER_BYTES } from './bounded-get.js';
import { outboundError, toOutboundError } from '../../base/errors/outbound-error.js';

/** A tunnel to one server. */
export interface TunnelOptions {
  /** `host:port`, IPv6 in brackets. */
  authority: string;
  headers: Readonly<Record<string, string>>;
  deadline: Deadline;
}

/**
 * Asks the proxy at the other end of the socket for a tunnel (RFC 9110 §9.3.6); the socket then speaks with the
 * server. It is destroyed on failure.
 * @throws ApiError `host_unreachable` when the proxy refuses, `connection_reset`, `bad_http` or `timeout_connect`.
 */
export function openTunnel(socket: net.Socket, options: TunnelOptions): Promise<net.Socket> {
  const { authority, headers, deadline } = options;
  return abortable<net.Socket>(deadline.signal, (resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(toOutboundError(error, 'bad_http'));
    };
    const closed = (): void => fail(outboundError('connection_reset', 'proxy closed the connection'));
    const request = http.request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      setHost: false,
      headers: { Host: authority, ...headers },
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    request.on('error', fail);
    request.once('close', closed);
    request.once('connect', (response, _socket, early) => {
      request.off('close', closed);
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) fail(outboundError('host_unreachable', `proxy answered ${status}`));
      // Nothing may come before our own first byte: it would be taken for the server's.
      else if (early.length > 0) fail(outboundError('bad_http', 'proxy sent bytes of its own'));
      else resolve(socket);
    });
    request.end();
    return () => fail(deadline.error('timeout_connect', `tunnel to ${authority}`));
  });
}
