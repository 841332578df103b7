import type { FairQueue } from '../../base/fair-queue.js';
import { addressClient } from '../../net/address/address-client.js';
import type { AccessTokenInfo, AccessTokenStore } from '../users/access-token-store.js';
import type { AdminAccounts } from './admin-accounts.js';
import { readSessionCookie } from './session-cookie.js';
import type { AdminSessionInfo, SessionStore } from './session-store.js';
import type { SignInCodes } from './sign-in-codes.js';
import type { AdminRequest, Role, Viewer } from './viewer.js';

/** What viewers are found with. */
export interface SessionAuthenticatorOptions {
  sessions: SessionStore;
  tokens: AccessTokenStore;
  accounts: AdminAccounts;
  codes: SignInCodes;
  /** Turns by client, for what the store is asked on behalf of anybody. */
  reads: Pick<FairQueue, 'run'>;
}

const CREDENTIALS = /^(Bearer|Command) ([\w-]{1,200})$/;

/**
 * Who makes a request: the cookie's session, the API token of an `Authorization: Bearer` header, or the command on
 * this machine that left the secret of `Authorization: Command` in the database.
 */
export class SessionAuthenticator {
  constructor(private readonly options: SessionAuthenticatorOptions) {}

  /**
   * `null` for a request without a valid session, API token or command's secret, whatever is wrong with it. Rejects
   * with 503 while the store cannot be asked. Whoever sends two of them at once is nobody.
   */
  async authenticate(request: AdminRequest): Promise<Viewer | null> {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined) return this.#bySession(request);
    const [, way, secret] = (typeof authorization === 'string' && CREDENTIALS.exec(authorization)) || [];
    if (secret === undefined || cookie !== undefined) return null;
    return way === 'Command'
      ? this.#byCommand(secret, request.address)
      : this.#byToken(secret, request.address);
  }

  #read<T>(address: string | null, find: () => Promise<T>): Promise<T> {
    return this.options.reads.run({ client: addressClient(address ?? '') }, find);
  }

  async #bySession({ headers, address }: AdminRequest): Promise<Viewer | null> {
    const { sessions } = this.options;
    const secret = readSessionCookie(headers);
    const session = secret === null ? null : await this.#read(address, () => sessions.find(secret));
    const role = session === null ? null : this.#roleOf(session);
    if (session === null || role === null) return null;
    await sessions.touch(session);
    return {
      name: session.actor,
      role,
      method: session.method,
      sessionId: session.id,
      tokenId: session.accessTokenId,
      address,
    };
  }

  /** The roles of accounts are settings, which may have changed since the sign-in. */
  #roleOf({ method, actor, role }: AdminSessionInfo): Role | null {
    return method === 'homeserver' ? this.options.accounts.roleOf(actor) : role;
  }

  async #byToken(token: string, address: string | null): Promise<Viewer | null> {
    const info = await this.#read(address, () => this.options.tokens.findValid(token));
    const role = info === null ? null : roleOfToken(info);
    if (info === null || role === null) return null;
    await this.options.tokens.noteUse(info);
    return { name: nameOfToken(info), role, method: 'api_token', sessionId: null, tokenId: info.id, address };
  }

  async #byCommand(secret: string, address: string | null): Promise<Viewer | null> {
    const holder = await this.#read(address, () => this.options.codes.useForCommand(secret));
    if (holder === null) return null;
    const { actor: name, role } = holder;
    return { name, role, method: 'command', sessionId: null, tokenId: null, address };
  }
}

/** What an access token may do on the operators' side; `null` for nothing. */
export function roleOfToken({ scopes }: AccessTokenInfo): Role | null {
  if (scopes.includes('admin_write')) return 'admin';
  if (scopes.includes('admin_operate')) return 'operator';
  return scopes.includes('admin_read') ? 'viewer' : null;
}

/** How the bearer of a token is called. */
export function nameOfToken({ label, hint, id }: AccessTokenInfo): string {
  return label === '' ? `token ${hint === '' ? id : `${hint}…`}` : label;
}
