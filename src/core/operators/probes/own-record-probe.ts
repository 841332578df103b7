import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { isKeyOf } from '../../base/json/is-record.js';
import type { AcceptedRecord } from '../../notary/key-record/key-record.js';
import type { SigningKeyStore } from '../../notary/own-keys/signing-key-store.js';
import { ADVICE } from '../diagnosis/advice.js';
import { failed, fine, unproved, warning, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

/** What it is built from. */
export interface OwnRecordProbeOptions {
  serverName: string;
  /** Base address the record is asked for at; `null`: the server is discovered by its name, as peers do. */
  publicBaseUrl: string | null;
  /** Our record as others get it, checked. Rejects with an `ApiError` whose reason says what failed. */
  fetchRecord: (signal: AbortSignal) => Promise<AcceptedRecord>;
  signingKeys: Pick<SigningKeyStore, 'list'>;
  clock: Clock;
  /** What to do where only this machine can ask; `null`: others can. */
  advice: string | null;
}

/** Whether our own key record comes through the public name, with a valid signature and the keys we sign with. */
export function ownRecordProbe(options: OwnRecordProbeOptions): Probe {
  const { serverName, publicBaseUrl } = options;
  return {
    line: {
      key: 'reach',
      title: 'Reachability',
      how: `fetched our own key record by ${publicBaseUrl ?? `the name ${serverName}`}`,
    },
    job: {
      name: 'prove_own_record',
      title: 'Fetch our own key record',
      description:
        'Asks for the key record of our own name from outside, through public_baseurl or discovery of server_name, ' +
        'checks its signature and keys, and keeps the outcome for the health list. Changes nothing else.',
    },
    subject: publicBaseUrl ?? serverName,
    prove: (signal) => proveRecord(options, signal),
  };
}

async function proveRecord(options: OwnRecordProbeOptions, signal: AbortSignal): Promise<Finding> {
  try {
    return await judge(await options.fetchRecord(signal), options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return findingOf(error, options);
  }
}

async function judge(
  { verifyKeys, validUntilTs }: AcceptedRecord,
  { serverName, signingKeys, clock }: OwnRecordProbeOptions,
): Promise<Finding> {
  const keys = (await signingKeys.list()).filter(({ state }) => state === 'active');
  const strange = keys.filter(({ keyId, publicKey }) => verifyKeys.get(keyId)?.publicKey !== publicKey);
  const missing = strange.map(({ keyId }) => keyId).join(', ');
  if (missing !== '')
    return failed(
      `The key record of ${serverName} that others get does not list ${missing}.`,
      'Another server answers under our name, or an old record is cached on the way. Compare the two on our page.',
      '/keys/own',
    );
  if (validUntilTs <= clock.now())
    return failed(
      `The key record of ${serverName} that others get has expired.`,
      'A cache on the way keeps an old one; it must not keep key records.',
      '/keys/own',
    );
  return fine(`The key record of ${serverName} comes through with a valid signature.`, '/keys/own');
}

function findingOf(error: ApiError, { serverName, publicBaseUrl, advice }: OwnRecordProbeOptions): Finding {
  const { reason } = error;
  const why = `The key record of ${serverName} does not come through: ${error.detail ?? error.message}.`;
  const href = `/keys/${encodeURIComponent(serverName)}?tab=diagnose`;
  // Whether others can ask is not known then.
  if (reason === 'address_blocked') return { ...unproved(why, href), advice: ADVICE.address_blocked };
  const known = reason !== null && isKeyOf(ADVICE, reason) ? ADVICE[reason] : null;
  // As in a trial: nobody but this machine is meant to ask.
  if (advice !== null && publicBaseUrl === null) return warning(why, advice, href);
  return failed(why, advice ?? known ?? 'Diagnose our own name: each stage is told.', href);
}
