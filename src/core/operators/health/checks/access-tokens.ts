import { randomBytes } from 'node:crypto';

import { errorCode, ApiError } from '../../../base/errors/api-error.js';
import { failed, ok, warning, type Check } from '../health.js';

const HREF = '/settings?q=auth.homeserver_url';
const ADVICE = 'Check that the homeserver runs and that auth.homeserver_url is its address.';

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
      if (user !== null) return failed(`${url} accepts a fake access token as ${user}.`, ADVICE, HREF);
      if (url !== null) return ok(`${url} refuses a fake token.`, HREF);
      if (!lacksHomeserver) return ok('Tokens made here are looked up in the database.', '/access');
      const message = 'No homeserver is configured, so its users get no previews.';
      return warning(message, 'Set auth.homeserver_url.', HREF);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const why = errorCode(error.cause) || error.message;
      return failed(`${url} could not check a token: ${why}. Previews are refused with 503.`, ADVICE, HREF);
    }
  };
  const title = url === null ? 'Access tokens' : 'Homeserver';
  return { id: 'access_tokens', title, how: 'checked a fake token', isProbe: true, check };
}
