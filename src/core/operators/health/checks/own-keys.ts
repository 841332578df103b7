import { DAY_MS, type Clock } from '../../../base/clock.js';
import type { OwnName } from '../../../notary/own-keys/own-name.js';
import type { SigningKeyStore } from '../../../notary/own-keys/signing-key-store.js';
import { failed, ok, warning, type Check } from '../health.js';

export interface OwnKeySources {
  signingKeys: Pick<SigningKeyStore, 'list'>;
  clock: Clock;
  name: Pick<OwnName, 'objection'>;
  /** How the rotation is begun. */
}

const OLD_KEY_MS = 730 * DAY_MS;
const HREF = '/our-keys';

/** Which keys our own record lists, and since when. */
export function ownKeyCheck({ signingKeys, clock, name }: OwnKeySources): Check {
  const check: Check['check'] = async () => {
    const objection = name.objection;
    if (objection !== null)
      return failed(`Our own key record is withheld. ${objection.why}.`, objection.advice, HREF);
    const active = (await signingKeys.list()).filter(({ state }) => state === 'active');
    const [oldest] = active;
    if (oldest === undefined)
      return warning('No active signing key is published.', 'Restart the server and read its log.', HREF);
    if (clock.now() - oldest.firstSeenTs < OLD_KEY_MS)
      return ok(`Signing with ${active.map(({ keyId }) => keyId).join(', ')}.`, HREF);
    const advice = 'Replace it with "vidimus keys rotate" or on the page of our keys.';
    return warning(`${oldest.keyId} has been in use for more than two years.`, advice, HREF);
  };
  return { id: 'own_keys', title: 'Our keys', how: 'read from the database', check };
}
