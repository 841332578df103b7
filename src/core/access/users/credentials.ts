import { ApiError } from '../../base/errors/api-error.js';

/** Where a request carries its credentials. */
export interface CredentialSource {
  /** Every Authorization header of the request, in order. */
  authorization: readonly string[];
  /** Query parameter access_token; `null` when absent. */
  queryToken: string | null;
}

/** RFC 9110 §11.1 and §11.4: the scheme in any case, then one blank or more. */
const BEARER = /^bearer +(\S+)$/i;

/**
 * The access token of a request: `Authorization: Bearer`, or `access_token=` for old clients.
 * Throws 401 `M_MISSING_TOKEN` when there is none, or more than one way is used at once.
 */
export function readAccessToken(source: CredentialSource): string {
  const { authorization, queryToken } = source;
  if (authorization.length > 1) throw missingToken('Too many Authorization headers.');
  const [header] = authorization;
  if (header === undefined) {
    if (queryToken === null || queryToken === '') throw missingToken('Missing access token');
    return queryToken;
  }
  if (queryToken !== null) {
    throw missingToken('Mixing Authorization headers and access_token query parameters.');
  }
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw missingToken('Invalid Authorization header.');
  return token;
}

function missingToken(message: string): ApiError {
  return new ApiError(401, message, { errcode: 'M_MISSING_TOKEN' });
}
