import { homeserverUrlOf } from '../config/homeserver-url.js';
import { Privacy } from '../core/access/operators/privacy.js';
import { SessionStore } from '../core/access/operators/session-store.js';
import { SignIn } from '../core/access/operators/sign-in.js';
import { SignInCodes } from '../core/access/operators/sign-in-codes.js';
import { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { AccessTokenStore } from '../core/access/users/access-token-store.js';
import { Authenticator } from '../core/access/users/authenticator.js';
import { RefusedRequests } from '../core/access/users/refused-requests.js';
import { HomeserverClient } from '../core/access/users/homeserver-client.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/base/clock.js';
import { tooManyTokens } from '../core/base/errors/api-error.js';
import type { InstanceMessages } from '../core/store/instances/instance-messages.js';
import { RateLimit } from '../core/base/limits/rate-limit.js';
import { FairQueue } from '../core/base/fair-queue.js';
import { feature } from './features.js';
import type { BaseParts, ContextParts } from './parts.js';

export type Access = ReturnType<typeof createAccess>;

/** A refused sign-in takes at least this long, well above what looking up any kind of credential does. */
const REFUSAL_MS = 400;
const SIGN_INS = { burst: 5, intervalMs: MINUTE_MS };
const TOO_MANY = {
  refusal: 'Too many attempts to sign in; wait before the next one',
  bound: 'sign_in',
} as const;
const REVOKED = 'token_revoked';
const SESSION = { absoluteMs: 12 * HOUR_MS, idleMs: HOUR_MS };
/** Look-ups in the store that any client can cause. They may take a third of the default connections. */
const TOKEN_READS = { maxRunning: 3, maxWaiting: 200, maxWaitMs: 5 * SECOND_MS, refused: tooManyTokens };
const TOKEN_CHECKS = { maxRunning: 32, maxWaiting: 250, maxWaitMs: 5 * SECOND_MS, refused: tooManyTokens };

/**
 * Builds it from the groups `auth` and `admin` of the configuration, without the store; what asks that fails until it is
 * open. `users` identifies clients of previews and media.
 */
export function createAccess(parts: BaseParts & Pick<ContextParts, 'database'>) {
  const { config, database, clock, logger, metrics, clientBounds } = parts;
  const tokens = new AccessTokenStore(database, clock, logger);
  const homeserver = createHomeserver(parts);
  const reads = new FairQueue({ ...TOKEN_READS, onLimit: clientBounds.whenDropped('token_reads') });
  const { admin } = config;
  const sessions = new SessionStore({ database, clock, logger }, SESSION);
  const codes = new SignInCodes(database, clock);
  const accounts: typeof admin.matrix_accounts = homeserver === null ? new Map() : admin.matrix_accounts;
  const auditLog = new StoredAuditLog(database, clock);
  const access = { tokens, sessions, codes, accounts, auditLog };
  return feature({
    homeserver,
    /** For whatever clients of whom nothing is known can have the store asked. */
    reads,
    refused: new RefusedRequests({ clock, count: (refusal) => metrics.previewRefusals.inc({ refusal }) }),
    users: new Authenticator({ tokens, reads, homeserver, clock }),
    privacy: new Privacy(admin.privacy),
    signIn: new SignIn({
      ...access,
      homeserver,
      tries: new RateLimit(SIGN_INS, { clock, ...TOO_MANY }),
      refusalMs: REFUSAL_MS,
    }),
    ...access,
  });
}

/** Has all instances forget whose a token is when one of them revokes it. */
export function shareAccess(access: Access, messages: InstanceMessages): Access {
  const { tokens, users } = access;
  const forget = () => users.forgetAll();
  messages.on(REVOKED, forget);
  tokens.onRevoked(async () => {
    forget();
    await messages.send(REVOKED);
  });
  return access;
}

/** The homeserver's word on access tokens; `null`: none is named, or the dialect is another. */
export function createHomeserver({ config, metrics, clientBounds }: BaseParts): HomeserverClient | null {
  const url = homeserverUrlOf(config);
  if (url === null) return null;
  const queue = new FairQueue({ ...TOKEN_CHECKS, onLimit: clientBounds.whenDropped('tokens') });
  metrics.observeTokens(() => queue.load);
  return new HomeserverClient(url, queue);
}
