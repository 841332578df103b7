import { setTimeout as pause } from 'node:timers/promises';

import { hashToken, type AccessTokenStore } from '../users/access-token-store.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { AdminAccounts } from './admin-accounts.js';
import type { AuditLog } from './audit.js';
import { nameOfToken, roleOfToken } from './session-authenticator.js';
import type { AdminSessionInfo, NewSession, SessionStore } from './session-store.js';
import type { SignInCodes } from './sign-in-codes.js';
import { addressKey, type SignInGuard, type Try } from './sign-in-guard.js';

/** What somebody signs in with. `homeserver`: an access token of the homeserver. */
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
  accounts: AdminAccounts;
  guard: SignInGuard;
  auditLog: AuditLog;
  /** A refusal takes at least this long, whatever its cause. */
  refusalMs: number;
}

type Account = Pick<NewSession, 'actor' | 'role' | 'method' | 'accessTokenId' | 'endsTs'>;

/** Exchanges a one-time code, an access token or an account of the homeserver for a session. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /**
   * Makes a session under a new secret; one that the browser brought along is never taken over. Throws 401 with the
   * same text after the same time for every wrong credential, 429 after too many, 503 while nobody can tell.
   */
  async signIn(
    credential: Credential,
    origin: SignInOrigin,
  ): Promise<{ secret: string; session: AdminSessionInfo }> {
    const startedMs = performance.now();
    const { guard, sessions } = this.options;
    const { address, userAgent, requestId, oldSecret } = origin;
    const tries = [guard.enter(addressKey(address)), guard.enter(`secret ${hashToken(credential.secret)}`)];
    const account = await this.#find(credential, tries);
    if (account === null) {
      await pause(Math.max(0, this.options.refusalMs - (performance.now() - startedMs)));
      throw refused();
    }
    for (const one of tries) one.succeed();
    const made = await sessions.create({ ...account, address, userAgent });
    const old = oldSecret === null ? null : await sessions.find(oldSecret);
    if (old !== null) await sessions.end(old.id);
    await this.#audit('signIn', made.session, { address, requestId });
    return made;
  }

  /** Ends a session at the request of its holder. */
  async signOut(
    session: Pick<AdminSessionInfo, 'id' | 'actor' | 'role' | 'method'>,
    origin: Pick<SignInOrigin, 'address' | 'requestId'>,
  ): Promise<void> {
    await this.options.sessions.end(session.id);
    await this.#audit('signOut', session, origin);
  }

  async #find({ way, secret }: Credential, tries: Try[]): Promise<Account | null> {
    if (way === 'code') {
      const found = await this.options.codes.use(secret);
      return found === null ? null : account(found.actor, found.role, 'code');
    }
    if (way === 'token') return this.#findToken(secret);
    const { accounts, guard } = this.options;
    const userId = await accounts.findUserId(secret);
    if (userId === null) return null;
    tries.push(guard.enter(`account ${userId}`));
    const role = accounts.roleOf(userId);
    return role === null ? null : account(userId, role, 'homeserver');
  }

  async #findToken(secret: string): Promise<Account | null> {
    const info = await this.options.tokens.findValid(secret);
    const role = info === null ? null : roleOfToken(info);
    if (info === null || role === null) return null;
    await this.options.tokens.noteUse(info);
    return {
      ...account(nameOfToken(info), role, 'token'),
      accessTokenId: info.id,
      endsTs: info.expiresTs,
    };
  }

  #audit(
    action: 'signIn' | 'signOut',
    { id, actor, role, method }: Pick<AdminSessionInfo, 'id' | 'actor' | 'role' | 'method'>,
    origin: Pick<SignInOrigin, 'address' | 'requestId'>,
  ): Promise<void> {
    const summary = action === 'signIn' ? `${actor} signed in` : `${actor} signed out`;
    const target = { targetType: 'AdminSession', targetId: id };
    const { address, requestId } = origin;
    const who = { actor, role, method, address, requestId };
    return this.options.auditLog.record({ ...who, ...target, action, summary, outcome: 'ok', detail: null });
  }
}

function account(actor: string, role: NewSession['role'], method: NewSession['method']): Account {
  return { actor, role, method, accessTokenId: null, endsTs: null };
}

function refused(): ApiError {
  return new ApiError(401, 'That did not work. Codes and tokens may be wrong, used or expired', {
    errcode: 'M_FORBIDDEN',
    reason: 'sign_in_refused',
  });
}
