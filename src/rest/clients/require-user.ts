import type { IncomingMessage } from 'node:http';

import type { AuthRequest, Authenticator } from '../../core/access/users/authenticator.js';
import type { CredentialSource } from '../../core/access/users/credentials.js';
import type { User } from '../../core/access/users/homeserver-client.js';
import { Query } from '../params.js';
import type { Exchange } from '../request-exchange.js';

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

export function tokenSourceOf(request: IncomingMessage, query: URLSearchParams): CredentialSource {
  return { authorization: authorizationHeaders(request), queryToken: query.get('access_token') };
}

/** Every Authorization header; `request.headers` would silently keep only the first. */
export function authorizationHeaders({ headersDistinct }: IncomingMessage): readonly string[] {
  return headersDistinct['authorization'] ?? [];
}
