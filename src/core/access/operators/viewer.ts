/** What a signed-in operator may do; each role may do what the ones before it may. */
export type Role = 'viewer' | 'operator' | 'admin';

/**
 * How somebody came in: the first three leave a session, `api_token` is sent with each request, `command` is whoever
 * runs commands on the machine itself.
 */
export type SignInMethod = 'code' | 'token' | 'homeserver' | 'api_token' | 'command';

/** Who makes a request to the operators' side. */
export interface Viewer {
  /** A user ID, the label of a token, or `operator` after a one-time code. */
  name: string;
  role: Role;
  method: SignInMethod;
  /** The session; `null` for an API token. */
  sessionId: string | null;
  /** The API token, also the one a session was made with; `null` without one. */
  tokenId: string | null;
  /** Network address of the client; `null` when not known. */
  address: string | null;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether a role includes another. */
export function hasRole(role: Role, required: Role): boolean {
  return RANK[role] >= RANK[required];
}

/** What of a request tells who makes it. `headers` in the form of Node: names in lower case. */
export interface AdminRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Network address of the client; `null` when not known. */
  address: string | null;
}

/** Finds out who makes a request. */
export interface AdminAuthenticator {
  /**
   * `null` for a request without a valid session or API token, whatever is wrong with it. Rejects with 503 while the
   * store cannot be asked. Whoever sends a bearer token and a session cookie at once is nobody.
   */
  authenticate(request: AdminRequest): Promise<Viewer | null>;
}
