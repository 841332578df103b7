import { setTimeout as pause } from 'node:timers/promises';

import { ApiError } from '../../base/errors/api-error.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import { addressClient } from '../../net/address/ip-address.js';
import type { AccessTokenStore } from '../users/access-token-store.js';
import type { HomeserverClient } from '../users/homeserver-client.js';
import { holderOfToken } from './admin-gate.js';
import type { StoredAuditLog } from './stored-audit-log.js';
import type { AdminSessionInfo, NewSession, SessionStore } from './session-store.js';
import type { SignInCodes } from './sign-in-codes.js';
import type { Role } from './viewer.js';

/** What an operator signs in with. `homeserver`: an access token of the homeserver. */
export interface Credential {
  way: 'code' | 'token' | 'homeserver';
  secret: string;
}

/** Where a sign-in comes from. */
export interface SignInOrigin {
  address: string | null;
  userAgent: string | null;
  requestId: string;
  /** The session the browser had until now; it ends when the sign-in succeeds. */
  oldSecret: string | null;
}

export interface SignInOptions {
  sessions: SessionStore;
  codes: SignInCodes;
  tokens: AccessTokenStore;
  homeserver: HomeserverClient | null;
  /** Accounts of the homeserver that are operators; setting admin.matrix_accounts. */
  accounts: ReadonlyMap<string, Role>;
  /** For each address; successful tries do not count. */
  tries: RateLimit;
  auditLog: StoredAuditLog;
  /** A refusal takes at least this long, whatever its cause. */
  refusalMs: number;
}

type Account = Pick<NewSession, 'actor' | 'role' | 'method' | 'accessTokenId' | 'endsTs'>;

/** Exchanges a one-time code, an access token or an account of the homeserver for a session. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /**
   * Makes a session under a new secret, never under one that the browser brought along. Throws 401 with the same text
   * after the same time for every wrong credential, 429 after too many, 503 while the database or homeserver is away.
   */
  async signIn(
    credential: Credential,
    { address, userAgent, requestId, oldSecret }: SignInOrigin,
  ): Promise<{ secret: string; session: AdminSessionInfo }> {
    const startedMs = performance.now();
    const { tries, sessions } = this.options;
    const client = addressClient(address ?? '');
    // Before the outcome is known, so that simultaneous tries count, too.
    tries.take(client);
    const account = await this.#find(credential);
    if (account === null) {
      await pause(Math.max(0, this.options.refusalMs - (performance.now() - startedMs)));
      throw refused();
    }
    tries.giveBack(client);
    const made = await sessions.create({ ...account, address, userAgent });
    const old = oldSecret === null ? null : await sessions.find(oldSecret);
    if (old !== null) await sessions.end(old.id);
    await this.#audit('signIn', made.session, { address, requestId });
    return made;
  }

  /** Ends a session at the request of its holder. */
  async signOut(
    session: AdminSessionInfo,
    origin: Pick<SignInOrigin, 'address' | 'requestId'>,
  ): Promise<void> {
    await this.options.sessions.end(session.id);
    await this.#audit('signOut', session, origin);
  }

  async #find({ way, secret }: Credential): Promise<Account | null> {
    const { homeserver, accounts, codes, tokens } = this.options;
    const lasting = { accessTokenId: null, endsTs: null };
    if (way === 'code') {
      const holder = await codes.use(secret);
      return holder === null ? null : { ...holder, ...lasting, method: 'code' };
    }
    if (way === 'homeserver') {
      if (homeserver === null || accounts.size === 0) return null;
      const { user } = await homeserver.findOwner({ token: secret, asUserId: null, client: undefined });
      if (user === null || user.isGuest) return null;
      const role = accounts.get(user.userId);
      return role === undefined ? null : { actor: user.userId, role, ...lasting, method: 'homeserver' };
    }
    const holder = await holderOfToken(tokens, secret);
    if (holder === null) return null;
    const { name: actor, role, info } = holder;
    return { actor, role, method: 'token', accessTokenId: info.id, endsTs: info.expiresTs };
  }

  #audit(
    action: 'signIn' | 'signOut',
    { id, actor, role, method }: AdminSessionInfo,
    origin: Pick<SignInOrigin, 'address' | 'requestId'>,
  ): Promise<void> {
    return this.options.auditLog.record({
      actor,
      role,
      method,
      ...origin,
      action,
      targetType: 'AdminSession',
      targetId: id,
      summary: action === 'signIn' ? `${actor} signed in` : `${actor} signed out`,
      outcome: 'ok',
      detail: null,
    });
  }
}

function refused(): ApiError {
  return new ApiError(401, 'Sign-in failed. The code or token may be wrong, used or expired', {
    errcode: 'M_FORBIDDEN',
    reason: 'sign_in_refused',
  });
}
