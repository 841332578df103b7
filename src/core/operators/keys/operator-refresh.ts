import { ApiError, invalidParam } from '../../base/errors/api-error.js';
import type { RefreshOutcome } from '../../notary/keys/key-fetcher.js';
import { serverNameError, type FederationWhitelist } from '../../notary/federation/server-name.js';
import type { KeyRefresher } from '../../notary/keys/key-refresher.js';

export interface RefreshingParts {
  refresher: KeyRefresher;
  whitelist: FederationWhitelist;
  /** Our own server name, if its record is made here. */
  ownName: string | null;
  /** Forgets where a server was found, so that mended DNS and documents count at once. */
  forgetDiscovery: (serverName: string) => void;
}

/**
 * Fetches the keys of a server now, whatever back-off and throttle say, and stores the outcome. What is stored stays
 * when the fetch fails. Throws 400 for a bad or our own name, 403 `not_whitelisted` for one that must not be asked.
 */
export async function refreshForOperator(
  { refresher, whitelist, ownName, forgetDiscovery }: RefreshingParts,
  serverName: string,
): Promise<RefreshOutcome> {
  const error = serverNameError(serverName);
  if (error !== null) throw invalidParam(error);
  if (serverName === ownName) {
    throw invalidParam('This is our own name: its record is created here and never fetched.');
  }
  if (!whitelist.allows(serverName)) {
    const message = `${serverName} is not in ${whitelist.sourceOf(serverName)}, so its keys may not be fetched.`;
    throw new ApiError(403, message, { errcode: 'M_FORBIDDEN', reason: 'not_whitelisted' });
  }
  forgetDiscovery(serverName);
  return refresher.refreshNow(serverName);
}
