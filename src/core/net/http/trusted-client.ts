import http from 'node:http';
import https from 'node:https';

import type { Deadline } from '../../base/deadline.js';
import { readBody } from './safe-http-client.js';

/** One GET, or a POST of a body, to an address that the operator configured, such as the homeserver. */
interface TrustedRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
  maxBodyBytes: number;
  deadline: Deadline;
}

/** A complete answer. */
export type TrustedResponse = Awaited<ReturnType<typeof fetchTrusted>>;

/**
 * Asks an address from the configuration, over a connection for this request alone. No address guard, since operators
 * name their own private hosts; never for an address that somebody else chose. Redirects are not followed. Rejects when
 * no complete answer comes.
 */
export async function fetchTrusted({ url, headers, body, maxBodyBytes, deadline }: TrustedRequest) {
  const { request } = url.protocol === 'https:' ? https : http;
  const method = body === undefined ? 'GET' : 'POST';
  const options = { method, headers, signal: deadline.signal, agent: false };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
  try {
    const { statusCode: status = 0, headers: received } = response;
    return { status, headers: received, body: await readBody(response, { maxBodyBytes, deadline }) };
  } finally {
    response.destroy();
  }
}
