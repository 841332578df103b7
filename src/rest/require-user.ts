import type { IncomingMessage } from 'node:http';

import type { Authenticator } from '../core/auth/authenticator.js';
import type { User } from '../core/auth/user.js';
import { queryOf } from './params.js';

/** Finds out whose request it is. Throws 401 without a valid access token, 503 while nobody can tell. */
export function requireUser(authenticator: Authenticator, request: IncomingMessage): Promise<User> {
  const query = queryOf(request.url ?? '');
  return authenticator.authenticate({
    authorization: authorizationHeaders(request),
    queryToken: query.get('access_token'),
    asUserId: query.get('user_id'),
  });
}

/** Every Authorization header; `request.headers` would silently keep only the first. */
export function authorizationHeaders(request: IncomingMessage): string[] {
  const { rawHeaders } = request;
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
