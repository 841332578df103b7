import { invalidParam } from '../core/base/errors/api-error.js';

const INTEGER = /^-?\d{1,400}$/;

/** The query part of a request target, without the question mark; empty when there is none. */
export function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1));
}

/**
 * The first value of a text parameter; `null` when absent. Escapes that are no UTF-8 are a 400: decoding puts
 * U+FFFD in their place, which would be another text.
 */
export function readTextParam(query: URLSearchParams, name: string, target: string): string | null {
  const text = query.get(name);
  if (text?.includes('\ufffd') === true && !isUtf8Param(target, name)) {
    throw invalidParam(`Query parameter '${name}' is not UTF-8`);
  }
  return text;
}

function isUtf8Param(target: string, name: string): boolean {
  const pairs = target.slice(target.indexOf('?') + 1).split('&');
  const pair = pairs.find((each) => new URLSearchParams(each).has(name)) ?? '';
  try {
    // A percent sign that begins no escape stands for itself.
    decodeURIComponent(pair.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/**
 * An optional integer parameter, exact at any size; `null` when absent. The first value wins.
 * Anything but plain decimal digits with an optional minus is a 400.
 */
export function readIntegerParam(query: URLSearchParams, name: string): number | bigint | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!INTEGER.test(text)) throw invalidParam(`Query parameter '${name}' must be an integer`);
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
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
