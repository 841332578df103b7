import { DAY_MS } from '../../../base/clock.js';
import type { Clock } from '../../../base/clock.js';
import type { SigningKeyStore } from '../../../notary/keys/signing-key-store.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

/** What the checks of how others see us look at. */
export interface ReachCheckSources {
  signingKeys: SigningKeyStore;
  clock: Clock;
  serverName: string;
  publicBaseUrl: string | null;
  /** Whether every listener for peers and clients is bound to loopback only. */
  isLoopbackOnly: boolean;
}

const OLD_KEY_MS = 730 * DAY_MS;

/** Own keys, and whether anybody can reach us. */
export function reachChecks(sources: ReachCheckSources): NamedCheck[] {
  return [
    { key: 'signing_keys', title: 'Signing keys', look: () => checkSigningKeys(sources) },
    { key: 'reach', title: 'Reachability', look: async () => checkReach(sources) },
  ];
}

async function checkSigningKeys({ signingKeys, clock }: ReachCheckSources): Promise<Finding> {
  const keys = await signingKeys.list();
  const active = keys.filter((key) => key.state === 'active');
  const oldest = active[0];
  if (oldest === undefined)
    return warning('No active signing key is published.', 'Restart the server; its log says what is wrong.');
  const names = active.map((key) => key.keyId).join(', ');
  if (clock.now() - oldest.firstSeenTs < OLD_KEY_MS) return fine(`Signing with ${names}.`, '/keys/own');
  return warning(
    `${oldest.keyId} has been in use for more than two years.`,
    'Make a second key with "vidimus keys generate" and retire the old one some weeks later.',
    '/keys/own',
  );
}

function checkReach({ isLoopbackOnly, publicBaseUrl, serverName }: ReachCheckSources): Finding {
  if (!isLoopbackOnly) return fine('Peers and clients can connect from outside.', '/settings?q=listeners');
  if (publicBaseUrl !== null) return fine(`A proxy passes on requests for ${publicBaseUrl}.`);
  return warning(
    'The server listens on loopback only, so peers and clients reach it through a proxy or not at all.',
    `Put a reverse proxy in front for ${serverName} and name its address in public_baseurl; the README has tested snippets.`,
    '/settings?q=public_baseurl',
  );
}
