import type { IncomingHttpHeaders } from 'node:http';

import type { ByteRange } from '../../core/preview/media/storage/media-storage.js';

/** What of a file decides how a request for it is answered. */
export interface FileFacts {
  /** Strong. */
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
export function answerTo(method: string, headers: IncomingHttpHeaders, file: FileFacts): Answer {
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

/** RFC 9110 §13.1.2, §13.1.3. */
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
