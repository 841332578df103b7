import { ApiError } from '../../base/errors/api-error.js';
import type { OriginFacts, SameOrigin } from './same-origin.js';
import type { SessionAuthenticator } from './session-authenticator.js';
import type { AdminRequest, Viewer } from './viewer.js';

/** Everything that decides whether a request gets in. */
export type AdminGateRequest = AdminRequest & OriginFacts;

/** The one way into the operators' side: cross-site defence first, then who it is. One for each listener. */
export class AdminGate {
  constructor(
    private readonly sameOrigin: SameOrigin,
    private readonly authenticator: SessionAuthenticator,
  ) {}

  /**
   * The viewer; `null` for an anonymous client. Throws 403 `csrf_blocked` for what another site may have sent, and 401
   * for what no browser has sent and names nobody.
   */
  async identify(request: AdminGateRequest): Promise<Viewer | null> {
    if (isNamelessScript(request)) throw tokenMissing();
    if (request.headers['authorization'] === undefined) this.sameOrigin.check(request);
    else this.sameOrigin.checkToken(request);
    return this.authenticator.authenticate(request);
  }
}

/** With what browsers send when they change something: one of these at least. */
const OF_BROWSERS = ['cookie', 'origin', 'sec-fetch-site'] as const;

function isNamelessScript({ method, headers }: OriginFacts): boolean {
  const names = ['authorization', ...OF_BROWSERS];
  return method === 'POST' && names.every((name) => headers[name] === undefined);
}

function tokenMissing(): ApiError {
  return new ApiError(401, 'Send an access token: Authorization: Bearer …', {
    errcode: 'M_MISSING_TOKEN',
    reason: 'token_missing',
  });
}
