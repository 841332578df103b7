import http from 'node:http';
import https from 'node:https';

import type { Deadline } from '../../base/deadline.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { AgentPair } from './outbound-route.js';

/** One GET or HEAD, or a POST of a body, to an address that the operator configured, such as the homeserver. */
export interface TrustedRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Absent: a GET, or with a body a POST. */
  method?: 'HEAD';
  body?: string | Buffer;
  maxBodyBytes: number;
  deadline: Deadline;
  /** What makes the connection; absent: one for this request alone, to whatever address. */
  agents?: AgentPair;
}

/** A complete answer. */
export interface TrustedResponse {
  status: number;
  /** By lower-case name; one that came several times is joined with commas. */
  headers: Readonly<http.IncomingHttpHeaders>;
  body: Buffer;
}

/**
 * Asks an address from the configuration. Without `agents` no address guard, since operators name their own private
 * hosts; never for an address that somebody else chose. Redirects are not followed. Throws `ApiError` with an
 * outbound reason when no complete answer comes.
 */
export function fetchTrusted(request: TrustedRequest): Promise<TrustedResponse> {
  const isSecure = request.url.protocol === 'https:';
  const { headers, agents, body } = request;
  const agent = agents === undefined ? false : agents[isSecure ? 'https' : 'http'];
  const { method = body === undefined ? 'GET' : 'POST' } = request;
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request(
      request.url,
      { method, headers, signal: request.deadline.signal, agent },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= request.maxBodyBytes) {
            chunks.push(chunk);
          } else {
            // Destroying the request says nothing from Node 26 on once the whole answer has come.
            reject(outboundError('too_large', request.url.host));
            response.socket.destroy();
          }
        });
        response.on('error', reject);
        response.on('close', () => {
          if (!response.complete) reject(outboundError('body_cut', request.url.host));
        });
        response.on('end', () => {
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, body: Buffer.concat(chunks) });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
