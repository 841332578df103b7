import { unavailable, ApiError, bodyTooLarge, clientGone } from '../core/base/errors/api-error.js';
import type { Exchange } from './request-exchange.js';

/**
 * Reads the body of a request, once, of at most `maxBytes`. Rejects with 413 above it, 415 for a compressed body, 503 when there is
 * no room for it, and a 400 when the client goes away; how long it may take is the listener's request time-out.
 */
export function readBody(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  exchange.body ??= receive(exchange, maxBytes);
  return exchange.body;
}

function receive(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const { request } = exchange;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return Promise.reject(new ApiError(415, 'Compressed request bodies are not accepted'));
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.reject(bodyTooLarge(maxBytes));

  return new Promise((resolve, reject) => {
    const take = exchange.openBody();
    const chunks: Buffer[] = [];
    let isRefused = false;
    const refuse = (error: ApiError): void => {
      isRefused = true;
      chunks.length = 0;
      reject(error);
    };
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      // What is too much is read and dropped until the request time-out, so that the client gets to our answer.
      if (isRefused) return;
      bytes += chunk.length;
      if (bytes > maxBytes) refuse(bodyTooLarge(maxBytes));
      else if (take(chunk.length)) chunks.push(chunk);
      else refuse(unavailable('bodies_waiting', 'Too many request bodies are being received'));
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', (error) => reject(clientGone(error)));
    request.on('close', () => {
      if (!request.complete) reject(clientGone());
    });
  });
}
