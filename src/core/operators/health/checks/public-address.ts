import { ApiError } from '../../../base/errors/api-error.js';
import { failed, ok, unproved, warning, type Check, type Finding } from '../health.js';

export interface PublicAddress {
  publicUrl: string;
  /** The server listens on loopback alone and has no public_baseurl: nobody outside is meant to reach it. */
  isLocal: boolean;
  /** Our keys that the record peers get does not list. Rejects with an `ApiError` when there is none. */
  missingKeys: (signal: AbortSignal) => Promise<string[]>;
  /** Addresses of our paths with the headers they answer. */
  askPaths: (signal: AbortSignal) => Promise<[url: string, headers: Readonly<Record<string, unknown>>][]>;
}

const OTHER_SERVER = 'Another server answers under our name, or a cache on the way keeps an old record.';
const ADVICE = 'Check DNS and the reverse proxy. "vidimus config proxy nginx" prints its configuration.';
const CORS = 'The proxy must neither add nor remove CORS headers.';

/** Whether peers and clients reach this server by its public name. */
export function publicAddressCheck(address: PublicAddress): Check {
  const { publicUrl, isLocal, missingKeys, askPaths } = address;
  const judge = async (signal: AbortSignal): Promise<Finding> => {
    const missing = (await missingKeys(signal)).join(', ');
    if (missing !== '') return failed(`The key record that peers get lacks ${missing}.`, OTHER_SERVER);
    const answers = await askPaths(signal);
    // Only we send the header `Error-Reason` (SPEC §2.6); browsers need exactly one origin.
    const foreign = answers.find(([, headers]) => headers['error-reason'] === undefined);
    if (foreign !== undefined) return failed(`${foreign[0]} is answered by another server.`, ADVICE);
    const closed = answers.find(([, headers]) => headers['access-control-allow-origin'] !== '*');
    if (closed !== undefined) return warning(`${closed[0]} comes with wrong CORS headers.`, CORS);
    return ok(`Our keys and ${answers.length} paths are answered at ${publicUrl}.`);
  };
  const check: Check['check'] = async (signal) => {
    if (isLocal) return unproved('The server listens on this machine only.', null, ADVICE);
    return judge(signal).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const message = `${publicUrl} cannot be reached: ${error.detail ?? error.message}.`;
      return error.reason === 'address_blocked' ? unproved(message, null, ADVICE) : failed(message, ADVICE);
    });
  };
  const how = `asked for our keys and paths at ${publicUrl}`;
  return { id: 'public_address', title: 'Public address', how, isProbe: true, check };
}
