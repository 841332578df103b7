import type { IncomingMessage } from 'node:http';

import { invalidParam, missingParam } from '../core/base/errors/api-error.js';
import type { AuthRequest, Authenticator, CredentialSource } from '../core/access/users/authenticator.js';
import type { User } from '../core/access/users/homeserver-client.js';
import type { Exchange } from './request-exchange.js';

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

  /** An integer from 1 to 999,999,999. */
  positive(name: string): number | null {
    const text = this.parameters.get(name);
    if (text === null) return null;
    if (POSITIVE.test(text)) return Number(text);
    throw invalidParam(`Query parameter '${name}' must be a positive integer`);
  }

  /** One of some words. */
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

/** Finds out whose request it is. Throws 401 without a valid access token, 503 while nobody can tell. */
export function requireUser(authenticator: Authenticator, exchange: Exchange): Promise<User> {
  return authenticator.authenticate(credentialsOf(exchange, new Query(exchange.target).parameters));
}

/** `query` is that of the target. */
export function credentialsOf(exchange: Exchange, query: URLSearchParams): AuthRequest {
  return {
    ...tokenSourceOf(exchange.request, query),
    asUserId: query.get('user_id'),
    client: () => exchange.client,
  };
}

/** `query` null: the token may stand in no query. `request.headers` would silently keep only the first header. */
export function tokenSourceOf(
  { headersDistinct }: IncomingMessage,
  query: URLSearchParams | null,
): CredentialSource {
  const authorization = headersDistinct['authorization'] ?? [];
  return { authorization, queryToken: query?.get('access_token') ?? null };
}
