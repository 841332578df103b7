import { homeserverUrlOf } from '../config/homeserver-url.js';
import type { Config } from '../config/schema.js';
import { AdminAccounts } from '../core/access/operators/admin-accounts.js';
import { Privacy } from '../core/access/operators/privacy.js';
import { SessionAuthenticator } from '../core/access/operators/session-authenticator.js';
import { SessionStore } from '../core/access/operators/session-store.js';
import { SignIn } from '../core/access/operators/sign-in.js';
import { SignInCodes } from '../core/access/operators/sign-in-codes.js';
import { SignInGuard } from '../core/access/operators/sign-in-guard.js';
import { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { AccessTokenStore } from '../core/access/users/access-token-store.js';
import { Authenticator } from '../core/access/users/authenticator.js';
import { HomeserverClient } from '../core/access/users/homeserver-client.js';
import { feature } from './parts.js';
import type { ContextParts } from './parts.js';

/** Who may ask for what. */
export type Access = ReturnType<typeof createAccess>;

/** A refused sign-in takes at least this long, well above what looking up any kind of credential does. */
const REFUSAL_MS = 400;

/**
 * Builds it from the groups `auth` and `admin` of the configuration, without the store; what asks that fails until it is
 * open. `users` tells who asks for previews and media, `authenticator` who uses the operators' side.
 */
export function createAccess(
  config: Config,
  { database, clock, logger }: Pick<ContextParts, 'database' | 'clock' | 'logger'>,
) {
  const tokens = new AccessTokenStore(database, clock, logger);
  const homeserverUrl = homeserverUrlOf(config);
  const homeserver = homeserverUrl === null ? null : new HomeserverClient(homeserverUrl, clock);
  const { admin } = config;
  const lifetimes = { absoluteMs: admin.session_lifetime, idleMs: admin.session_idle_timeout };
  const sessions = new SessionStore({ database, clock, logger }, lifetimes);
  const codes = new SignInCodes(database, clock, admin.sign_in_code_lifetime);
  const accounts = new AdminAccounts(homeserver, admin.matrix_admins, admin.matrix_accounts);
  const auditLog = new StoredAuditLog(database, clock);
  const parts = { tokens, sessions, codes, accounts, auditLog };
  const { hide_owners: hideOwners, hide_query_strings: hideQueryStrings } = admin.privacy;
  return feature({
    users: new Authenticator(tokens, homeserver, clock),
    privacy: new Privacy({ hideOwners, hideQueryStrings }),
    signIn: new SignIn({ ...parts, guard: new SignInGuard(clock), refusalMs: REFUSAL_MS }),
    authenticator: new SessionAuthenticator(parts),
    ...parts,
  });
}
