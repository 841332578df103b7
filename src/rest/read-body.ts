import type { IncomingMessage } from 'node:http';

import { ApiError, bodyTooLarge, clientGone } from '../core/base/errors/api-error.js';

/**
 * Reads a request body of at most `maxBytes`. Rejects with 413 above it, 415 for a compressed body,
 * and a 400 when the client goes away; how long it may take is the listener's request time-out.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return Promise.reject(new ApiError(415, 'Compressed request bodies are not accepted'));
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.reject(bodyTooLarge(maxBytes));

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // What is too much is read and dropped until the request time-out, so that the client gets to our answer.
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      reject(bodyTooLarge(maxBytes));
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', (error) => reject(clientGone(error)));
    request.on('close', () => {
      if (!request.complete) reject(clientGone());
    });
  });
}
