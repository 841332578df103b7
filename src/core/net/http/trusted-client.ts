import http from 'node:http';
import https from 'node:https';

import { Deadline } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import { readBody } from './safe-http-client.js';

/** One GET, or a POST of a body, to an address that the operator configured, such as the homeserver. */
interface TrustedRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
  maxBodyBytes: number;
  /** For the whole answer. */
  timeoutMs: number;
}

/** A complete answer. */
export type TrustedResponse = Awaited<ReturnType<typeof fetchTrusted>>;

/**
 * Asks an address from the configuration, over a connection for this request alone. No address guard, since operators
 * name their own private hosts; never for an address that somebody else chose. Redirects are not followed. Rejects when
 * no complete answer comes, with a reason `timeout_…` when none comes in time.
 */
export async function fetchTrusted({ url, headers, body, maxBodyBytes, timeoutMs }: TrustedRequest) {
  const { request } = url.protocol === 'https:' ? https : http;
  const method = body === undefined ? 'GET' : 'POST';
  const deadline = new Deadline(timeoutMs);
  let response: http.IncomingMessage | undefined;
  try {
    const options = { method, headers, signal: deadline.signal, agent: false };
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request(url, options, resolve).on('error', reject).end(body);
    });
    response = answer;
    const { statusCode: status = 0, headers: received } = answer;
    return { status, headers: received, body: await readBody(answer, { maxBodyBytes, deadline }) };
  } catch (error) {
    const isLate = deadline.isOver && !(error instanceof ApiError);
    throw isLate ? deadline.error('timeout_headers', url.host) : error;
  } finally {
    response?.destroy();
    deadline.close();
  }
}
