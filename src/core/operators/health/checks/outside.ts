import { randomBytes } from 'node:crypto';

import { ApiError, errorCode } from '../../../base/errors/api-error.js';
import type { Resolver } from '../../../net/dns/dns-resolver.js';
import { failed, ok, unproved, warning, type Check, type Finding } from '../health.js';

const CHECK_HOMESERVER = 'Check that the homeserver runs and that auth.homeserver_url is its address.';

export interface AccessTokenSources {
  /** Setting auth.homeserver_url; `null`: only our own tokens are valid. */
  homeserverUrl: string | null;
  /** Whether users of a homeserver are to be expected although none is named. */
  lacksHomeserver: boolean;
  /** User of a token; `null`: it is not valid. */
  findUser: (token: string) => Promise<string | null>;
}

/** Whether a fake access token is refused, as each preview request checks one. */
export function accessTokenCheck({
  homeserverUrl: url,
  lacksHomeserver,
  findUser,
}: AccessTokenSources): Check {
  const check: Check['check'] = async () => {
    try {
      const user = await findUser(`vidimus-probe-${randomBytes(12).toString('hex')}`);
      if (user !== null) return failed(`${url} accepts a fake access token as ${user}.`, CHECK_HOMESERVER);
      if (url !== null) return ok(`${url} refuses a fake token.`);
      if (!lacksHomeserver)
        return { ...ok('Tokens made here are looked up in the database.'), href: '/access' };
      const message = 'No homeserver is configured, so its users get no previews.';
      return warning(message, 'Set auth.homeserver_url.');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const why = errorCode(error.cause) || error.message;
      return failed(
        `${url} could not check a token: ${why}. Previews are refused with 503.`,
        CHECK_HOMESERVER,
      );
    }
  };
  const title = url === null ? 'Access tokens' : 'Homeserver';
  const href = '/settings?q=auth.homeserver_url';
  return { id: 'access_tokens', title, how: 'checked a fake token', isProbe: true, href, check };
}

/** Whether names are resolved: any answer about a new name proves it, also that it does not exist. */
export function dnsCheck(resolver: Pick<Resolver, 'lookup'>, domain: string): Check {
  return {
    id: 'dns',
    title: 'DNS',
    href: '/settings?q=dns',
    how: `looked up a random name below ${domain}`,
    isProbe: true,
    check: async () => {
      const startedMs = performance.now();
      try {
        await resolver.lookup(`vidimus-probe-${randomBytes(6).toString('hex')}.${domain}.`);
        return ok(`Answered in ${Math.round(performance.now() - startedMs)} ms.`);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return failed(
          `No answer: ${error.detail ?? error.message}. Key fetches and previews of new names fail.`,
          'Check the DNS servers of this machine, or name others in dns.servers.',
        );
      }
    },
  };
}

export interface PublicAddress {
  publicUrl: string;
  /** The server listens on loopback alone and has no public_baseurl: nobody outside is meant to reach it. */
  isLocal: boolean;
  /** Our keys that the record peers get does not list. Rejects with an `ApiError` when there is none. */
  missingKeys: () => Promise<string[]>;
  /** Addresses of our paths with the headers they answer. */
  askPaths: () => Promise<[url: string, headers: Readonly<Record<string, unknown>>][]>;
}

const OTHER_SERVER = 'Another server answers under our name, or a cache on the way keeps an old record.';
const CHECK_PROXY = 'Check DNS and the reverse proxy. "vidimus config proxy nginx" prints its configuration.';
const CORS = 'The proxy must neither add nor remove CORS headers.';

/** Whether peers and clients reach this server by its public name. */
export function publicAddressCheck(address: PublicAddress): Check {
  const { publicUrl, isLocal, missingKeys, askPaths } = address;
  const judge = async (): Promise<Finding> => {
    const missing = (await missingKeys()).join(', ');
    if (missing !== '') return failed(`The key record that peers get lacks ${missing}.`, OTHER_SERVER);
    const answers = await askPaths();
    // Only we send the header `Error-Reason` (SPEC §2.6); browsers need exactly one origin.
    const foreign = answers.find(([, headers]) => headers['error-reason'] === undefined);
    if (foreign !== undefined) return failed(`${foreign[0]} is answered by another server.`, CHECK_PROXY);
    const closed = answers.find(([, headers]) => headers['access-control-allow-origin'] !== '*');
    if (closed !== undefined) return warning(`${closed[0]} comes with wrong CORS headers.`, CORS);
    return ok(`Our keys and ${answers.length} paths are answered at ${publicUrl}.`);
  };
  const check: Check['check'] = async () => {
    if (isLocal) return unproved('The server listens on this machine only.', CHECK_PROXY);
    return judge().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const message = `${publicUrl} cannot be reached: ${error.detail ?? error.message}.`;
      return error.reason === 'address_blocked'
        ? unproved(message, CHECK_PROXY)
        : failed(message, CHECK_PROXY);
    });
  };
  const how = `asked for our keys and paths at ${publicUrl}`;
  return { id: 'public_address', title: 'Public address', how, isProbe: true, check };
}
