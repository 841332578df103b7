import type { IncomingMessage } from 'node:http';

import type { AuthRequest, Authenticator } from '../../core/access/users/authenticator.js';
import type { CredentialSource } from '../../core/access/users/credentials.js';
import type { User } from '../../core/access/users/homeserver-client.js';
import { addressClient } from '../../core/net/address/ip-address.js';
import { Query } from '../params.js';
import { clientAddress } from '../request-exchange.js';

/** Finds out whose request it is. Throws 401 without a valid access token, 503 while nobody can tell. */
export function requireUser(
  authenticator: Authenticator,
  request: IncomingMessage,
  xForwarded: boolean,
): Promise<User> {
  const query = new Query(request.url ?? '').parameters;
  return authenticator.authenticate(credentialsOf(request, { query, xForwarded }));
}

/** What is known of a request: the query of its target, and whether a proxy in front states the client's address. */
interface RequestFacts {
  query: URLSearchParams;
  xForwarded: boolean;
}

export function credentialsOf(request: IncomingMessage, { query, xForwarded }: RequestFacts): AuthRequest {
  return {
    ...tokenSourceOf(request, query),
    asUserId: query.get('user_id'),
    client: () => addressClient(clientAddress(request, xForwarded)),
  };
}

export function tokenSourceOf(request: IncomingMessage, query: URLSearchParams): CredentialSource {
  return { authorization: authorizationHeaders(request), queryToken: query.get('access_token') };
}

/** Every Authorization header; `request.headers` would silently keep only the first. */
export function authorizationHeaders({ headersDistinct }: IncomingMessage): readonly string[] {
  return headersDistinct['authorization'] ?? [];
}
