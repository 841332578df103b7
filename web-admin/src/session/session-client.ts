import { isRecord } from '../api/is-record.js';
import { readRequestError, RequestError } from '../api/request-error.js';

/** A way to sign in that the server has switched on. */
export type SignInWay = 'code' | 'token' | 'homeserver';

/** What anyone may know before signing in (GET {base}/session). */
export interface SessionState {
  signedIn: boolean;
  serverName: string;
  version: string;
  ways: SignInWay[];
  environment: { label: string } | null;
  /** Where peers and clients find the service: "/_svc" or "/_matrix". */
  pathPrefix: string;
  /** The address before that, without a slash at the end. */
  publicUrl: string;
}

const WAYS: readonly SignInWay[] = ['code', 'token', 'homeserver'];

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function readEnvironment(value: unknown): SessionState['environment'] {
  if (!isRecord(value)) return null;
  const { label } = value;
  return typeof label === 'string' && label !== '' ? { label } : null;
}

function readState(body: Record<string, unknown>): SessionState {
  const ways = Array.isArray(body.ways) ? body.ways : [];
  return {
    signedIn: body.signedIn === true,
    serverName: textOr(body.serverName, ''),
    version: textOr(body.version, ''),
    ways: WAYS.filter((way) => ways.includes(way)),
    environment: readEnvironment(body.environment),
    pathPrefix: textOr(body.pathPrefix, '/_svc'),
    publicUrl: textOr(body.publicUrl, ''),
  };
}

async function request(basePath: string, method: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${basePath}/session`, {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new RequestError('NETWORK', 'The server cannot be reached');
  });
  const answer: unknown = response.status === 204 ? {} : await response.json().catch(() => null);
  const members = isRecord(answer) ? answer : {};
  if (!response.ok) throw readRequestError(response, members.errors);
  return members;
}

/** Whether this browser is signed in, and how it may. Throws NOT_READY with the server's reason while it starts. */
export async function fetchSession(basePath: string): Promise<SessionState> {
  return readState(await request(basePath, 'GET'));
}

/** Exchanges a one-time code, an admin token or a homeserver's access token for a session cookie. */
export async function signIn(basePath: string, way: SignInWay, secret: string): Promise<void> {
  await request(basePath, 'POST', { way, secret });
}

/** Ends this browser's session. */
export async function signOut(basePath: string): Promise<void> {
  await request(basePath, 'DELETE');
}
