import http from 'node:http';
import type { Duplex } from 'node:stream';

import { errorCode } from '../../base/errors/api-error.js';
import { abortable, type Deadline } from '../../base/deadline.js';
import { outboundError, toOutboundError } from '../../base/errors/outbound-error.js';

/** One GET over a connected socket. */
export interface BoundedGetOptions {
  /** Path with query, as it goes on the wire. */
  path: string;
  hostHeader: string;
  headers: Readonly<Record<string, string>>;
  maxBodyBytes: number;
  deadline: Deadline;
  /** Whether an operator wants to see a short body of an answer with another status than 2xx. */
  looksAtRefused?: boolean;
}

/** An answer; of another status than 2xx `body` is empty unless it is looked at, short and soon there. */
export interface BoundedGetResult {
  status: number;
  /** Lower-case names; values of repeated headers joined by `, `. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

const MAX_ERROR_PAGE_BYTES = 64 * 1024;
const ERROR_PAGE_MS = 2000;
const NOTHING = Buffer.alloc(0);
/** Of an answer's head. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Answers ahead of the final one (1xx). */
export const MAX_INFORMATIONAL = 16;

/**
 * Sends one GET and reads the answer: strict parser, no compression, 16 KiB of headers, the body counted as it
 * arrives. The caller destroys the socket afterwards.
 * @throws ApiError: `timeout_headers`, `timeout_body`, `too_large`, `body_cut`, `bad_http`, `http_encoding`,
 * `connection_reset`.
 */
export async function boundedGet(socket: Duplex, options: BoundedGetOptions): Promise<BoundedGetResult> {
  const response = await responseHead(socket, options);
  const status = response.statusCode ?? 0;
  const headers = headerMap(response.rawHeaders);
  if (status < 200 || status > 299) {
    response.on('error', () => {});
    const body = options.looksAtRefused === true ? await readErrorPage(response, options.deadline) : NOTHING;
    return { status, headers, body };
  }
  try {
    refuseEncodings(headers);
    return { status, headers, body: await readBody(response, options) };
  } finally {
    response.on('error', () => {});
  }
}

function responseHead(socket: Duplex, options: BoundedGetOptions): Promise<http.IncomingMessage> {
  const { deadline } = options;
  return abortable<http.IncomingMessage>(deadline.signal, (resolve, reject) => {
    const request = openRequest(socket, options);
    let informational = 0;
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(toOutboundError(error, 'bad_http'));
    };
    request.on('error', fail);
    request.once('response', resolve);
    request.on('information', () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL)
        fail(outboundError('bad_http', 'too many informational answers'));
    });
    request.once('upgrade', () => fail(outboundError('bad_http', 'unwanted protocol upgrade')));
    request.once('close', () => fail(outboundError('connection_reset', 'closed before an answer')));
    request.end();
    return () => fail(deadline.error('timeout_headers', 'no complete answer head'));
  });
}

function openRequest(socket: Duplex, options: BoundedGetOptions): http.ClientRequest {
  return http.request({
    createConnection: () => socket,
    method: 'GET',
    path: options.path,
    setHost: false,
    headers: {
      Host: options.hostHeader,
      'Accept-Encoding': 'identity',
      ...options.headers,
      Connection: 'close',
    },
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

function headerMap(rawHeaders: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

function refuseEncodings(headers: ReadonlyMap<string, string>): void {
  const content = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const transfer = headers.get('transfer-encoding')?.trim().toLowerCase() ?? 'chunked';
  if (content !== 'identity' && content !== '') throw outboundError('http_encoding', 'compressed body');
  if (transfer !== 'chunked') throw outboundError('http_encoding', 'unknown transfer encoding');
}

async function readBody(
  response: http.IncomingMessage,
  options: Pick<BoundedGetOptions, 'deadline' | 'maxBodyBytes'>,
): Promise<Buffer> {
  const { deadline, maxBodyBytes } = options;
  const tooLarge = (): Error => outboundError('too_large', `body is larger than ${maxBodyBytes} bytes`);
  if (Number(response.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  return abortable<Buffer>(deadline.signal, (resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const fail = (error: unknown): void => {
      response.destroy();
      reject(toOutboundError(error, 'body_cut'));
    };
    response.on('error', (error) => fail(bodyError(error)));
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBodyBytes) fail(tooLarge());
      else chunks.push(chunk);
    });
    response.once('end', () => {
      if (response.complete) resolve(Buffer.concat(chunks));
    });
    response.once('close', () => fail(outboundError('body_cut', 'connection closed inside the body')));
    return () => fail(deadline.error('timeout_body', `${received} bytes received`));
  });
}

async function readErrorPage(response: http.IncomingMessage, whole: Deadline): Promise<Buffer> {
  const deadline = whole.within(ERROR_PAGE_MS);
  try {
    return await readBody(response, { maxBodyBytes: MAX_ERROR_PAGE_BYTES, deadline });
  } catch {
    return NOTHING;
  } finally {
    deadline.close();
  }
}

/** A reset in the middle of a body is a cut body, whatever the system calls it; a parser error stays one. */
function bodyError(error: Error): Error {
  const code = errorCode(error);
  return code.startsWith('HPE_') ? error : outboundError('body_cut', `${code}: ${error.message}`, error);
}
