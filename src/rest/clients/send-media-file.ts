import type { Response } from 'express';

import { ApiError, clientGone, notFound } from '../../core/base/errors/api-error.js';
import type { ReadableFile } from '../../core/preview/media/media-reader.js';
import { strictHeaders } from './strict-conditions.js';

/** Headers that describe a file and must not stay on the error that is sent instead. */
const FILE_HEADERS = [
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Content-Type',
  'Content-Length',
  'Content-Disposition',
];

/**
 * Sends a file with what RFC 9110 asks for: ranges (206, 416), conditional requests (304, 412), HEAD.
 * Rejects with 404 when the file is gone; a client that goes away is no error.
 */
export async function sendMediaFile(
  response: Response,
  file: ReadableFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  // Not `set`, which would add a charset that nobody stated.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('ETag', file.etag);
  response.setHeader('Last-Modified', new Date(file.createdTs).toUTCString());
  response.req.headers = strictHeaders(response.req, file);
  // `no-cache` speaks to caches on the way; Express would take it as a reason never to answer 304.
  delete response.req.headers['cache-control'];
  const error = await new Promise<unknown>((resolve) => {
    response.sendFile(
      file.path,
      { cacheControl: false, lastModified: false, dotfiles: 'allow' },
      (failure?: unknown) => resolve(failure),
    );
  });
  if (error === undefined || error === null || response.headersSent) return;
  for (const name of FILE_HEADERS) response.removeHeader(name);
  // The file is there and can be read; there is nobody left to read it to.
  throw isLeft(response, error) ? clientGone(error) : toApiError(error);
}

function isLeft({ req, destroyed }: Response, error: unknown): boolean {
  const isAborted = error instanceof Error && 'code' in error && error.code === 'ECONNABORTED';
  return isAborted || destroyed || req.socket.destroyed;
}

function toApiError(error: unknown): ApiError {
  const status =
    error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 500;
  switch (status) {
    case 404:
      return notFound({ cause: error });
    case 412:
      return new ApiError(412, 'Precondition failed', { cause: error });
    case 416:
      return new ApiError(416, 'Range not satisfiable', { cause: error });
    default:
      return new ApiError(500, 'The media could not be read', {
        cause: error,
        reason: 'media_not_read',
      });
  }
}
