/** What a signed-in operator may do; each role may do what the ones before it may. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** How an operator signed in. */
export const SESSION_METHODS = ['code', 'token', 'homeserver'] as const;
export type SessionMethod = (typeof SESSION_METHODS)[number];

/** Also `api_token`, sent with each request, and `command`, a command on this machine. */
export const SIGN_IN_METHODS = [...SESSION_METHODS, 'api_token', 'command'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Who makes a request to the operators' side. */
export interface Viewer {
  /** A user ID, the label of a token, or the name of a one-time code. */
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

/** Whether a role includes another. */
export function hasRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

/** The parts of a request that identify its client. `headers` in the form of Node: names in lower case. */
export interface AdminRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Network address of the client; `null` when not known. */
  address: string | null;
}
