import { invalidParam, missingParam } from '../core/base/errors/api-error.js';

/**
 * The query of a request target. Each reader gives the first value of a parameter, `null` when it is absent, and throws
 * 400 `M_INVALID_PARAM` when it cannot be read.
 */
export class Query {
  readonly parameters: URLSearchParams;
  readonly #text: string;

  constructor(target: string) {
    const mark = target.indexOf('?');
    this.#text = mark === -1 ? '' : target.slice(mark + 1);
    this.parameters = new URLSearchParams(this.#text);
  }

  /** A text. Escapes that are not UTF-8 are a 400: decoding would make another text of them. */
  text(name: string): string | null {
    const text = this.parameters.get(name);
    if (text?.includes('\ufffd') === true && !this.#isUtf8(name)) {
      throw invalidParam(`Query parameter '${name}' is not UTF-8`);
    }
    return text;
  }

  /** An integer, exact at any size: decimal digits with an optional minus. */
  integer(name: string): number | bigint | null {
    const text = this.parameters.get(name);
    if (text === null) return null;
    if (!INTEGER.test(text)) throw invalidParam(`Query parameter '${name}' must be an integer`);
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }

  positive(name: string): number | null {
    const text = this.parameters.get(name);
    if (text === null) return null;
    if (POSITIVE.test(text)) return Number(text);
    throw invalidParam(`Query parameter '${name}' must be a positive integer`);
  }

  choice<const T extends string>(name: string, choices: readonly T[]): T | null {
    const text = this.parameters.get(name);
    const choice = choices.find((each) => each === text);
    if (text === null || choice !== undefined) return choice ?? null;
    throw invalidParam(`Query parameter '${name}' must be ${choices.join(' or ')}`);
  }

  #isUtf8(name: string): boolean {
    const pair = this.#text.split('&').find((each) => new URLSearchParams(each).has(name)) ?? '';
    try {
      // A percent sign that begins no escape stands for itself.
      decodeURIComponent(pair.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
      return true;
    } catch {
      return false;
    }
  }
}

/** A parameter that has to be there; `what` it is, as the error says. */
export function required<T>(value: T | null, what: string): T {
  if (value === null) throw missingParam(`Missing ${what}`);
  return value;
}

const INTEGER = /^-?\d{1,400}$/;
const POSITIVE = /^0{0,8}[1-9]\d{0,8}$/;
