import type { IncomingHttpHeaders } from 'node:http';

import type { ReadableFile } from '../../core/preview/media/media-reader.js';

const SUFFIX = /^\s*bytes\s*=\s*-(\d{1,20})\s*$/i;
const WEAK = /^\s*W\//;
/** Equal to no entity tag of ours. */
const NO_TAG = '""';

/** What of a request decides which part of a file is sent. */
export interface Conditions {
  method: string;
  headers: IncomingHttpHeaders;
}

/**
 * The request's headers as the file sender has to read them. It is laxer than RFC 9110 in four places: it lets HEAD
 * have ranges (14.2), refuses a suffix longer than the file (14.1.2), and compares weak tags and earlier times in
 * If-Range (13.1.5) and weak tags in If-Match (13.1.1).
 */
export function strictHeaders({ method, headers }: Conditions, file: ReadableFile): IncomingHttpHeaders {
  const { range, 'if-range': ifRange, 'if-match': ifMatch, ...rest } = headers;
  const strict: IncomingHttpHeaders = rest;
  const mayBePart = method === 'GET' && (ifRange === undefined || isUnchanged(String(ifRange), file));
  if (range !== undefined && mayBePart) strict.range = coversAll(range, file) ? 'bytes=0-' : range;
  if (ifMatch !== undefined) strict['if-match'] = withoutWeak(ifMatch);
  return strict;
}

function coversAll(range: string, { sizeBytes }: ReadableFile): boolean {
  const length = SUFFIX.exec(range)?.[1];
  return length !== undefined && sizeBytes > 0 && Number(length) > sizeBytes;
}

function isUnchanged(ifRange: string, { etag, createdTs }: ReadableFile): boolean {
  if (ifRange.includes('"')) return ifRange.trim() === etag;
  return Date.parse(ifRange) === Math.floor(createdTs / 1000) * 1000;
}

function withoutWeak(list: string): string {
  const strong = list.split(',').filter((tag) => !WEAK.test(tag));
  return strong.length === 0 ? NO_TAG : strong.join(',');
}
