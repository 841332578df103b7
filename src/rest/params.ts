import { invalidParam } from '../core/base/errors/api-error.js';

/** The query part of a request target, without the question mark; empty when there is none. */
export function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1));
}

/** A percent-decoded path segment. Broken escapes and escapes that are no UTF-8 are a 400. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidParam('The path contains a broken percent-encoding');
  }
}
