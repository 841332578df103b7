import type { IncomingMessage } from 'node:http';

import type { AuthRequest, Authenticator } from '../../core/access/users/authenticator.js';
import type { User } from '../../core/access/users/user.js';
import { queryOf } from '../params.js';

/** Finds out whose request it is. Throws 401 without a valid access token, 503 while nobody can tell. */
export function requireUser(authenticator: Authenticator, request: IncomingMessage): Promise<User> {
  return authenticator.authenticate(credentialsOf(request, queryOf(request.url ?? '')));
}

/** What a request says of who asks. `query` is that of its target. */
export function credentialsOf(request: IncomingMessage, query: URLSearchParams): AuthRequest {
  return {
    authorization: authorizationHeaders(request),
    queryToken: query.get('access_token'),
    asUserId: query.get('user_id'),
  };
}

const AUTHORIZATION = 'authorization';

/** Every Authorization header; `request.headers` would silently keep only the first. */
export function authorizationHeaders({ rawHeaders }: IncomingMessage): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
