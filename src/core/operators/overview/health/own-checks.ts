import { randomBytes } from 'node:crypto';

import type { AccessTokenStore } from '../../../access/users/access-token-store.js';
import { DAY_MS, type Clock } from '../../../base/clock.js';
import { typedCommand, type CommandLine } from '../../../base/text/command-line.js';
import type { OwnName } from '../../../notary/own-keys/own-name.js';
import type { SigningKeyStore } from '../../../notary/own-keys/signing-key-store.js';
import { failed, fine, warning, type NamedCheck } from './health-check.js';

const OLD_KEY_MS = 730 * DAY_MS;

export interface SigningKeyCheckParts {
  clock: Clock;
  commandLine: CommandLine;
  /** Absent: nobody here publishes our record. */
  name?: Pick<OwnName, 'objection'>;
}

/** Which keys our own record lists, and since when. */
export function signingKeyCheck(
  signingKeys: Pick<SigningKeyStore, 'list'>,
  { clock, commandLine, name }: SigningKeyCheckParts,
): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    const objection = name?.objection ?? null;
    if (objection !== null)
      return failed(`Our own key record is withheld. ${objection.why}.`, objection.advice, '/keys/own');
    const keys = await signingKeys.list();
    const active = keys.filter((key) => key.state === 'active');
    const oldest = active[0];
    if (oldest === undefined)
      return warning(
        'No active signing key is published.',
        'Restart the server; its log says what is wrong.',
      );
    const names = active.map((key) => key.keyId).join(', ');
    if (clock.now() - oldest.firstSeenTs < OLD_KEY_MS) return fine(`Signing with ${names}.`, '/keys/own');
    return warning(
      `${oldest.keyId} has been in use for more than two years.`,
      `Replace it step by step with "${typedCommand(commandLine, 'keys rotate')}", or on the page of our keys.`,
      '/keys/own',
    );
  };
  return { key: 'signing_keys', title: 'Signing keys', how: 'read from the database', look };
}

/** Access tokens where no homeserver is asked about them; `lacksHomeserver`: though its users are to be expected. */
export function ownTokenCheck(
  tokens: Pick<AccessTokenStore, 'findValid'>,
  { lacksHomeserver, commandLine }: { lacksHomeserver: boolean; commandLine: CommandLine },
): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    await tokens.findValid(randomBytes(12).toString('hex'));
    if (!lacksHomeserver) return fine('Those made here are looked up in the database.', '/access');
    return warning(
      'The dialect is matrix and no homeserver is named: its users get no previews, and our name may be its name.',
      `Name it in auth.homeserver_url; without one only tokens of "${typedCommand(commandLine, 'token create')}" are valid, and whether it has our name is told by that name alone.`,
      '/settings?q=auth.homeserver_url',
    );
  };
  return { key: 'homeserver', title: 'Access tokens', how: 'looked up a made-up token', look };
}
