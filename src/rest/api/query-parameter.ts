import { invalidParam, missingParam } from '../../core/base/errors/api-error.js';

/** A parameter of a query. */
export interface QueryParameter<T> {
  readonly name: string;
  /**
   * Its value; the first one counts. `target` is the path and query as sent. Throws 400: `M_MISSING_PARAM` for one that
   * is required and absent, `M_INVALID_PARAM` for one that cannot be read.
   */
  read(query: URLSearchParams, target: string): T;
}

/**
 * A text; `null` when absent. Escapes that are no UTF-8 are a 400: decoding puts U+FFFD in their place, which would be
 * another text.
 */
export function textParameter(name: string): QueryParameter<string | null> {
  const read = (query: URLSearchParams, target: string): string | null => {
    const text = query.get(name);
    if (text?.includes('\ufffd') === true && !isUtf8Param(target, name)) {
      throw invalidParam(`Query parameter '${name}' is not UTF-8`);
    }
    return text;
  };
  return { name, read };
}

/** An integer, exact at any size; `null` when absent. Plain decimal digits with an optional minus. */
export function integerParameter(name: string): QueryParameter<number | bigint | null> {
  const read = (query: URLSearchParams): number | bigint | null => {
    const text = query.get(name);
    if (text === null) return null;
    if (!INTEGER.test(text)) throw invalidParam(`Query parameter '${name}' must be an integer`);
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  };
  return { name, read };
}

/** An integer from 1 to 999,999,999; `null` when absent. */
export function positiveParameter(name: string): QueryParameter<number | null> {
  const read = (query: URLSearchParams): number | null => {
    const text = query.get(name);
    if (text === null) return null;
    if (POSITIVE.test(text)) return Number(text);
    throw invalidParam(`Query parameter '${name}' must be a positive integer`);
  };
  return { name, read };
}

/** One of some words; `usual` when absent. */
export function choiceParameter<const T extends string, Usual extends NoInfer<T> | null>(
  name: string,
  choices: readonly T[],
  usual: Usual,
): QueryParameter<T | Usual> {
  const read = (query: URLSearchParams): T | Usual => {
    const text = query.get(name);
    if (text === null) return usual;
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw invalidParam(`Query parameter '${name}' must be ${choices.join(' or ')}`);
  };
  return { name, read };
}

/** A time in ISO 8601, as POSIX ms; `null` when absent or empty. */
export function timeParameter(name: string): QueryParameter<number | null> {
  const read = (query: URLSearchParams): number | null => {
    const text = query.get(name) ?? '';
    if (text === '') return null;
    const ts = Date.parse(text);
    if (!Number.isNaN(ts)) return ts;
    throw invalidParam(`Query parameter '${name}' must be a time such as 2026-11-20T00:00:00Z`);
  };
  return { name, read };
}

/** The same parameter, which has to be there. `type` names its form in the error. */
export function required<T>(
  parameter: QueryParameter<T | null>,
  type: 'string' | 'integer',
): QueryParameter<T> {
  const { name } = parameter;
  const read = (query: URLSearchParams, target: string): T => {
    const value = parameter.read(query, target);
    if (value !== null) return value;
    throw missingParam(`Missing ${type} query parameter '${name}'`);
  };
  return { name, read };
}

const INTEGER = /^-?\d{1,400}$/;
const POSITIVE = /^0{0,8}[1-9]\d{0,8}$/;

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
