import { ApiError } from '../../base/errors/api-error.js';
import type { FairQueue } from '../../base/fair-queue.js';
import { addressClient } from '../../net/address/ip-address.js';
import type { AccessTokenInfo, AccessTokenStore } from '../users/access-token-store.js';
import type { SameOrigin } from './same-origin.js';
import { readSessionCookie } from './session-cookie.js';
import type { SessionStore } from './session-store.js';
import type { SignInCodes } from './sign-in-codes.js';
import type { AdminRequest, Role, Viewer } from './viewer.js';

/** What viewers are found with. */
export interface AdminGateOptions {
  sessions: SessionStore;
  tokens: AccessTokenStore;
  /** Accounts of the homeserver that are operators; setting admin.matrix_accounts. */
  accounts: ReadonlyMap<string, Role>;
  codes: SignInCodes;
  /** Bounds the look-ups in the store for each client. */
  reads: Pick<FairQueue, 'run'>;
}

const CREDENTIALS = /^(Bearer|Command) ([\w-]{1,200})$/;
/** Browsers send at least one of these when they change something. */
const OF_BROWSERS = ['cookie', 'origin', 'sec-fetch-site'];

/** The one way into the operators' side: cross-site defence first, then who it is. One for each listener. */
export class AdminGate {
  constructor(
    private readonly sameOrigin: SameOrigin,
    private readonly options: AdminGateOptions,
  ) {}

  /**
   * Who makes a request: the cookie's session, the API token of `Authorization: Bearer`, or the command that stored the
   * secret of `Authorization: Command` in the database. `null` without a valid one of them. Throws 403 `csrf_blocked`
   * for what another site may have sent, 401 for a script's change without a token, 503 while the store is away.
   */
  async identify(request: AdminRequest): Promise<Viewer | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      if (isScript(request)) throw tokenMissing();
      this.sameOrigin.check(request);
      return this.#bySession(request);
    }
    this.sameOrigin.checkToken(request);
    const [, way, secret] = (typeof authorization === 'string' && CREDENTIALS.exec(authorization)) || [];
    if (secret === undefined) return null;
    const client = addressClient(request.address ?? '');
    const found = await this.options.reads.run({ client }, () =>
      way === 'Command' ? this.#byCommand(secret) : this.#byToken(secret),
    );
    return found === null ? null : { ...found, sessionId: null, address: request.address };
  }

  async #bySession({ headers, address }: AdminRequest): Promise<Viewer | null> {
    const { sessions, accounts, reads } = this.options;
    const secret = readSessionCookie(headers);
    if (secret === null) return null;
    const session = await reads.run({ client: addressClient(address ?? '') }, () => sessions.find(secret));
    if (session === null) return null;
    const { id, actor, method, accessTokenId } = session;
    // The roles of accounts are settings, which may have changed since the sign-in.
    const role = method === 'homeserver' ? (accounts.get(actor) ?? null) : session.role;
    if (role === null) return null;
    await sessions.touch(session);
    return { name: actor, role, method, sessionId: id, tokenId: accessTokenId, address };
  }

  async #byToken(token: string): Promise<Omit<Viewer, 'sessionId' | 'address'> | null> {
    const holder = await holderOfToken(this.options.tokens, token);
    if (holder === null) return null;
    return { name: holder.name, role: holder.role, method: 'api_token', tokenId: holder.info.id };
  }

  async #byCommand(secret: string): Promise<Omit<Viewer, 'sessionId' | 'address'> | null> {
    const holder = await this.options.codes.useForCommand(secret);
    return holder === null
      ? null
      : { name: holder.actor, role: holder.role, method: 'command', tokenId: null };
  }
}

/** Who holds a token of the operators' side; `null`: nobody. Its use is noted. */
export async function holderOfToken(
  tokens: AccessTokenStore,
  token: string,
): Promise<{ name: string; role: Role; info: AccessTokenInfo } | null> {
  const info = await tokens.findValid(token);
  const role = info === null ? null : roleOf(info);
  if (info === null || role === null) return null;
  await tokens.noteUse(info);
  const { label, hint, id } = info;
  return { name: label === '' ? `token ${hint === '' ? id : `${hint}…`}` : label, role, info };
}

function roleOf({ scopes }: AccessTokenInfo): Role | null {
  if (scopes.includes('admin_write')) return 'admin';
  if (scopes.includes('admin_operate')) return 'operator';
  return scopes.includes('admin_read') ? 'viewer' : null;
}

function isScript({ method, headers }: AdminRequest): boolean {
  return method === 'POST' && OF_BROWSERS.every((name) => headers[name] === undefined);
}

function tokenMissing(): ApiError {
  return new ApiError(401, 'Send an access token: Authorization: Bearer …', { errcode: 'M_MISSING_TOKEN' });
}
