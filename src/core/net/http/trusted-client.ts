import http from 'node:http';
import https from 'node:https';

import type { Deadline } from '../../base/deadline.js';
import { outboundError } from '../../base/errors/outbound-error.js';

/** One GET, or a POST of a body, to an address that the operator configured, such as the homeserver. */
export interface TrustedRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Absent: a GET. */
  body?: string;
  maxBodyBytes: number;
  deadline: Deadline;
  /** Where many requests go to one address; a connection for this one alone when absent. */
  connections?: TrustedConnections;
}

/** Connections that are used again. */
export class TrustedConnections {
  readonly #agents: Record<'http:' | 'https:', http.Agent>;

  constructor(maxSockets: number) {
    const options = { keepAlive: true, maxSockets };
    this.#agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  }

  agentFor({ protocol }: URL): http.Agent {
    return this.#agents[protocol === 'https:' ? 'https:' : 'http:'];
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

/** A complete answer. */
export interface TrustedResponse {
  status: number;
  body: Buffer;
}

/**
 * Asks an address from the configuration. No address guard, since operators name their own private hosts;
 * never for an address that somebody else chose. Redirects are not followed. Throws `ApiError` with an
 * outbound reason when no complete answer comes.
 */
export function fetchTrusted(request: TrustedRequest): Promise<TrustedResponse> {
  const client = request.url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = client.request(
      request.url,
      {
        method: request.body === undefined ? 'GET' : 'POST',
        headers: request.headers,
        signal: request.deadline.signal,
        agent: request.connections?.agentFor(request.url) ?? false,
      },
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
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(request.body);
  });
}
