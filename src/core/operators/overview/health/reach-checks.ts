import { DAY_MS } from '../../../base/clock.js';
import type { Clock } from '../../../base/clock.js';
import { typedCommand } from '../../../base/text/command-line.js';
import type { CommandLine } from '../../../base/text/command-line.js';
import type { SigningKeyStore } from '../../../notary/own-keys/signing-key-store.js';
import { fine, unproved, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

/** What the checks of how others see us look at. */
export interface ReachCheckSources {
  signingKeys: SigningKeyStore;
  /** Whether the record of our name is ours to publish. */
  publishesRecord: boolean;
  clock: Clock;
  commandLine: CommandLine;
  serverName: string;
  publicBaseUrl: string | null;
  /** Whether every listener for peers and clients is bound to loopback only. */
  isLoopbackOnly: boolean;
  /** Whether previews or media are served in the dialect of homeservers without one to ask about tokens. */
  lacksHomeserver: boolean;
}

const OLD_KEY_MS = 730 * DAY_MS;

/** Own keys, and whether anybody can reach us. */
export function reachChecks(sources: ReachCheckSources): NamedCheck[] {
  return [
    {
      key: 'signing_keys',
      title: 'Signing keys',
      how: 'read from the database',
      look: () => checkSigningKeys(sources),
    },
    {
      key: 'homeserver',
      title: 'Access tokens',
      how: 'read from the settings',
      look: async () => checkHomeserver(sources),
    },
    {
      key: 'reach',
      title: 'Reachability',
      how: 'read from the settings',
      look: async () => checkReach(sources),
    },
  ];
}

async function checkSigningKeys(sources: ReachCheckSources): Promise<Finding> {
  const { signingKeys, clock, publishesRecord, serverName, commandLine } = sources;
  if (!publishesRecord) {
    return unproved(`The key record of ${serverName} is left to its homeserver; answers are signed for it.`);
  }
  const keys = await signingKeys.list();
  const active = keys.filter((key) => key.state === 'active');
  const oldest = active[0];
  if (oldest === undefined)
    return warning('No active signing key is published.', 'Restart the server; its log says what is wrong.');
  const names = active.map((key) => key.keyId).join(', ');
  if (clock.now() - oldest.firstSeenTs < OLD_KEY_MS) return fine(`Signing with ${names}.`, '/keys/own');
  return warning(
    `${oldest.keyId} has been in use for more than two years.`,
    `Make a second key with "${typedCommand(commandLine, 'keys generate --append')}" and retire the old one some weeks later.`,
    '/keys/own',
  );
}

function checkHomeserver({ lacksHomeserver, commandLine }: ReachCheckSources): Finding {
  if (!lacksHomeserver) return unproved('It is known who is asked about access tokens.', '/settings?q=auth');
  return warning(
    'The dialect is matrix and no homeserver is named, so that its users get no previews.',
    `Name it in auth.homeserver_url; without one only tokens of "${typedCommand(commandLine, 'token create')}" are valid.`,
    '/settings?q=auth.homeserver_url',
  );
}

function checkReach(sources: ReachCheckSources): Finding {
  const { isLoopbackOnly, publicBaseUrl, serverName, commandLine } = sources;
  if (!isLoopbackOnly) return unproved('It listens for peers and clients outside.', '/settings?q=listeners');
  if (publicBaseUrl !== null) return unproved(`A proxy is to pass on requests for ${publicBaseUrl}.`);
  return warning(
    'The server listens on loopback only, so peers and clients reach it through a proxy or not at all.',
    `Put a reverse proxy in front for ${serverName} and name its address in public_baseurl; "${typedCommand(commandLine, 'config proxy nginx')}" prints its lines.`,
    '/settings?q=public_baseurl',
  );
}
