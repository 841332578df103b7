import { pipeline } from 'node:stream/promises';

import type { Response } from 'express';

import { ApiError, clientGone, notFound } from '../../core/base/errors/api-error.js';
import type { ReadableFile } from '../../core/preview/media/media-reader.js';
import type { ByteRange, OpenFile } from '../../core/preview/media/storage/media-storage.js';
import { answerTo } from './conditions.js';

/**
 * Sends a file with what RFC 9110 asks for: ranges (206, 416), conditional requests (304, 412), HEAD.
 * Rejects with 404 when the file is gone, before anything is sent; a client that goes away is no error. Where reading
 * ends early the connection is closed, so that nobody takes a part for all of it.
 */
export async function sendMediaFile(
  response: Response,
  file: ReadableFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { req: request } = response;
  const answer = answerTo(request.method, request.headers, file);
  if (answer.status === 412) throw new ApiError(412, 'Precondition failed');
  if (answer.status === 416) {
    response.setHeader('Content-Range', `bytes */${file.sizeBytes}`);
    throw new ApiError(416, 'Range not satisfiable');
  }
  if (answer.status === 304) {
    setHeaders(response, file, headers);
    for (const name of ['Content-Type', 'Content-Disposition']) response.removeHeader(name);
    response.status(304).end();
    return;
  }
  const range = 'range' in answer ? answer.range : undefined;
  const body = request.method === 'HEAD' ? await requireFile(file) : (await openFile(file, range)).body;
  if (isLeft(response)) {
    body?.destroy();
    throw clientGone();
  }
  setHeaders(response, file, headers);
  response.status(answer.status).setHeader('Content-Length', sizeOf(range) ?? file.sizeBytes);
  if (range !== undefined)
    response.setHeader('Content-Range', `bytes ${range.first}-${range.last}/${file.sizeBytes}`);
  if (body === null) response.end();
  else await pipeline(body, response).catch(() => undefined);
}

function setHeaders(
  response: Response,
  { etag, createdTs }: ReadableFile,
  headers: Readonly<Record<string, string>>,
): void {
  // Not `set`, which would add a charset that nobody stated.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('ETag', etag);
  response.setHeader('Last-Modified', new Date(createdTs).toUTCString());
}

async function requireFile(file: ReadableFile): Promise<null> {
  if (!(await tried(file.exists()))) throw notFound();
  return null;
}

async function openFile(file: ReadableFile, range: ByteRange | undefined): Promise<OpenFile> {
  const opened = await tried(file.open(range));
  if (opened === null) throw notFound();
  return opened;
}

async function tried<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(500, 'The media could not be read', { cause: error, reason: 'media_not_read' });
  }
}

function sizeOf(range: ByteRange | undefined): number | null {
  return range === undefined ? null : range.last - range.first + 1;
}

function isLeft({ req, destroyed }: Response): boolean {
  return destroyed || req.socket.destroyed;
}
