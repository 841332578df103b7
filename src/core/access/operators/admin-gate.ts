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

  /** The viewer; `null` for an anonymous client. Throws 403 `csrf_blocked` for what another site may have sent. */
  async identify(request: AdminGateRequest): Promise<Viewer | null> {
    if (request.headers['authorization'] === undefined) this.sameOrigin.check(request);
    else this.sameOrigin.checkToken(request);
    return this.authenticator.authenticate(request);
  }
}
