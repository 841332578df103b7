import { pipeline } from 'node:stream/promises';
import type { IncomingHttpHeaders } from 'node:http';

import type { Response } from 'express';

import { ApiError, clientGone, notFound } from '../../core/base/errors/api-error.js';
import type { ReadableFile } from '../../core/preview/media/media-reader.js';
import type { ByteRange, OpenFile } from '../../core/preview/media/storage/media-storage.js';

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

interface FileFacts {
  etag: string;
  sizeBytes: number;
  createdTs: number;
}

/** How a request is answered: with a part, with all of it, or with the status alone. */
export type Answer = { status: 206; range: ByteRange } | { status: 200 | 304 | 412 | 416 };

/** Between two blanks there is always something else: else a header of 15 kB is looked at for hours. */
const RANGE = /^\s*bytes\s*=\s*(?:(\d{1,20})\s*)?-\s*(?:(\d{1,20})\s*)?$/i;
const WEAK = /^W\//;

/**
 * Reads the conditions and the range of a GET or HEAD (RFC 9110 §13, §14). Several ranges are answered with all of the
 * file. `Cache-Control` is not looked at: it speaks to caches on the way.
 */
function answerTo(method: string, headers: IncomingHttpHeaders, file: FileFacts): Answer {
  if (!holds(headers, file)) return { status: 412 };
  if (isKnown(headers, file)) return { status: 304 };
  const { range, 'if-range': ifRange } = headers;
  const mayBePart = method === 'GET' && (ifRange === undefined || isUnchanged(String(ifRange), file));
  return range === undefined || !mayBePart ? { status: 200 } : partOf(range, file.sizeBytes);
}

/** RFC 9110 §13.1.1, §13.1.4: weak tags never match. */
function holds(headers: IncomingHttpHeaders, file: FileFacts): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = headers;
  if (ifMatch !== undefined) return tagsOf(ifMatch).some((tag) => tag === '*' || tag === file.etag);
  return since === undefined || !(Date.parse(since) < changedTs(file));
}

function isKnown(headers: IncomingHttpHeaders, file: FileFacts): boolean {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': since } = headers;
  if (ifNoneMatch !== undefined)
    return tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag.replace(WEAK, '') === file.etag);
  return since !== undefined && Date.parse(since) >= changedTs(file);
}

/** RFC 9110 §13.1.5: by a strong tag or the exact time. */
function isUnchanged(ifRange: string, file: FileFacts): boolean {
  if (ifRange.includes('"')) return ifRange.trim() === file.etag;
  return Date.parse(ifRange) === changedTs(file);
}

function partOf(text: string, sizeBytes: number): Answer {
  const [, from = '', to = ''] = RANGE.exec(text) ?? [];
  if (from === '' && to === '') return { status: 200 };
  const isSuffix = from === '';
  if (isSuffix && Number(to) === 0) return { status: 416 };
  const first = isSuffix ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const last = isSuffix || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (!isSuffix && to !== '' && Number(to) < first) return { status: 200 };
  return first < sizeBytes ? { status: 206, range: { first, last } } : { status: 416 };
}

/** As `Last-Modified` says it, in whole seconds. */
function changedTs({ createdTs }: FileFacts): number {
  return Math.floor(createdTs / 1000) * 1000;
}

function tagsOf(list: string): string[] {
  return list.split(',').map((tag) => tag.trim());
}
