import { ApiError } from '../../../base/errors/api-error.js';
import type { AcceptedRecord } from '../../../notary/key-record/key-record.js';
import type { SigningKeyStore } from '../../../notary/own-keys/signing-key-store.js';
import { failed, ok, unproved, warning, type Check, type Finding } from '../health-check.js';

/** A public path that answers a wrong method, so that no request of clients is counted. */
export interface PublicPath {
  url: string;
  /** Absent: a GET. */
  body?: string;
}

export interface PublicAddressSources {
  publicUrl: string;
  /** The server listens on loopback alone and has no public_baseurl: nobody outside is meant to reach it. */
  isLocal: boolean;
  /** Our key record as peers get it; `null`: somebody else publishes it. Rejects with an `ApiError`. */
  fetchRecord: ((signal: AbortSignal) => Promise<AcceptedRecord>) | null;
  signingKeys: Pick<SigningKeyStore, 'list'>;
  paths: readonly PublicPath[];
  ask: (path: PublicPath, signal: AbortSignal) => Promise<{ headers: Readonly<Record<string, unknown>> }>;
  /** How the lines for a proxy are printed. */
  proxyCommand: string;
}

/** Whether peers and clients reach this server by its public name. */
export function publicAddressCheck(sources: PublicAddressSources): Check {
  const { publicUrl, isLocal, proxyCommand } = sources;
  const advice = `Check DNS and the reverse proxy. "${proxyCommand}" prints its configuration.`;
  const check: Check['check'] = async (signal) => {
    if (isLocal)
      return unproved(
        'The server listens on this machine only.',
        null,
        `To be reached, put a reverse proxy in front: "${proxyCommand}".`,
      );
    try {
      return (await judgeRecord(sources, signal)) ?? (await judgePaths(sources, advice, signal));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `${publicUrl} cannot be reached: ${error.detail ?? error.message}.`;
      return error.reason === 'address_blocked' ? unproved(message, null, advice) : failed(message, advice);
    }
  };
  return {
    id: 'public_address',
    title: 'Public address',
    how: `asked for our keys and paths at ${publicUrl}`,
    isProbe: true,
    check,
  };
}

async function judgeRecord(
  { fetchRecord, signingKeys }: PublicAddressSources,
  signal: AbortSignal,
): Promise<Finding | null> {
  if (fetchRecord === null) return null;
  const { verifyKeys } = await fetchRecord(signal);
  const active = (await signingKeys.list()).filter(({ state }) => state === 'active');
  const missing = active.filter(({ keyId, publicKey }) => verifyKeys.get(keyId)?.publicKey !== publicKey);
  if (missing.length === 0) return null;
  const message = `The key record that peers get does not list ${missing.map(({ keyId }) => keyId).join(', ')}.`;
  return failed(
    message,
    'Another server answers under our name, or a cache on the way keeps an old record.',
    '/our-keys',
  );
}

/** Only we send the header `Error-Reason` (SPEC §2.6); browsers need exactly one origin. */
async function judgePaths(
  { paths, ask, publicUrl }: PublicAddressSources,
  advice: string,
  signal: AbortSignal,
): Promise<Finding> {
  const answers = await Promise.all(
    paths.map(async (path) => ({ path, headers: (await ask(path, signal)).headers })),
  );
  const foreign = answers.find(({ headers }) => headers['error-reason'] === undefined);
  if (foreign !== undefined) return failed(`${foreign.path.url} is answered by another server.`, advice);
  const closed = answers.find(({ headers }) => headers['access-control-allow-origin'] !== '*');
  if (closed === undefined) return ok(`Our keys and ${paths.length} paths are answered at ${publicUrl}.`);
  return warning(
    `${closed.path.url} comes with wrong CORS headers.`,
    'The proxy must neither add nor remove CORS headers.',
  );
}
