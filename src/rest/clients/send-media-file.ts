import { pipeline } from 'node:stream/promises';

import type { Response } from 'express';

import { ApiError, clientGone, notFound } from '../../core/base/errors/api-error.js';
import type { ReadableFile } from '../../core/preview/media/media-reader.js';
import type { ByteRange } from '../../core/preview/media/storage/media-storage.js';

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
  if (isRefused(response, file)) throw new ApiError(412, 'Precondition failed');
  if (isKnown(response, file)) {
    const { 'Content-Type': _type, 'Content-Disposition': _disposition, ...rest } = headers;
    setHeaders(response, file, rest);
    response.status(304).end();
    return;
  }
  const range = rangeOf(response, file);
  const body = await tried(
    request.method === 'HEAD'
      ? file.exists().then((exists) => (exists ? undefined : null))
      : file.open(range).then((opened) => opened?.body ?? null),
  );
  if (body === null) throw notFound();
  if (response.destroyed || request.socket.destroyed) {
    body?.destroy();
    throw clientGone();
  }
  setHeaders(response, file, headers);
  const { first, last } = range ?? { first: 0, last: file.sizeBytes - 1 };
  response.status(range === undefined ? 200 : 206).setHeader('Content-Length', last - first + 1);
  if (range !== undefined) response.setHeader('Content-Range', `bytes ${first}-${last}/${file.sizeBytes}`);
  if (body === undefined) response.end();
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

async function tried<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(500, 'The media could not be read', { cause: error, reason: 'media_not_read' });
  }
}

/** RFC 9110 §13.1.1, §13.1.4: weak tags never match. */
function isRefused({ req: { headers } }: Response, file: ReadableFile): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = headers;
  if (ifMatch !== undefined) return !hasTag(ifMatch, file);
  return since !== undefined && Date.parse(since) < changedTs(file);
}

function isKnown({ req: { headers } }: Response, file: ReadableFile): boolean {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': since } = headers;
  if (ifNoneMatch !== undefined) return hasTag(ifNoneMatch.replaceAll(/(^|,\s*)W\//g, '$1'), file);
  return since !== undefined && Date.parse(since) >= changedTs(file);
}

/** Between two blanks there is always something else: else a header of 15 kB is looked at for hours. */
const RANGE = /^\s*bytes\s*=\s*(?:(\d{1,20})\s*)?-\s*(?:(\d{1,20})\s*)?$/i;

/**
 * The part that is asked for; `undefined`: all of the file, as for several ranges and for `If-Range` with another tag
 * or time (RFC 9110 §13.1.5). Throws 416 for one that begins behind the end.
 */
function rangeOf(response: Response, file: ReadableFile): ByteRange | undefined {
  const { req: request } = response;
  const ifRange = request.get('if-range');
  const isUnchanged =
    ifRange === undefined || ifRange.trim() === file.etag || Date.parse(ifRange) === changedTs(file);
  const wanted = request.method === 'GET' && isUnchanged ? request.get('range') : undefined;
  const [, from = '', to = ''] = RANGE.exec(wanted ?? '') ?? [];
  if (`${from}${to}` === '' || (from !== '' && to !== '' && Number(to) < Number(from))) return undefined;
  const end = file.sizeBytes - 1;
  const first = from === '' ? Math.max(0, file.sizeBytes - Number(to)) : Number(from);
  if (first <= end) return { first, last: from === '' || to === '' ? end : Math.min(Number(to), end) };
  response.setHeader('Content-Range', `bytes */${file.sizeBytes}`);
  throw new ApiError(416, 'Range not satisfiable');
}

/** As `Last-Modified` says it, in whole seconds. */
function changedTs({ createdTs }: ReadableFile): number {
  return Math.floor(createdTs / 1000) * 1000;
}

function hasTag(list: string, { etag }: ReadableFile): boolean {
  return list.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag);
}
