import type { HomeserverClient } from '../users/homeserver-client.js';
import type { Role } from './viewer.js';

/** Which accounts of the homeserver are operators; setting admin.matrix_accounts. */
export class AdminAccounts {
  constructor(
    private readonly homeserver: HomeserverClient | null,
    private readonly roles: ReadonlyMap<string, Role>,
  ) {}

  /** Whether accounts can sign in. */
  get isEnabled(): boolean {
    return this.homeserver !== null && this.roles.size > 0;
  }

  /** The role an account has now; `null` for an anonymous client. */
  roleOf(userId: string): Role | null {
    return this.isEnabled ? (this.roles.get(userId) ?? null) : null;
  }

  /** The account of a homeserver's access token; `null`: none. Throws 503 while the homeserver is away. */
  async findUserId(token: string): Promise<string | null> {
    if (this.homeserver === null || !this.isEnabled) return null;
    const { user } = await this.homeserver.findOwner({ token, asUserId: null, client: undefined });
    return user === null || user.isGuest ? null : user.userId;
  }
}
