import { randomBytes } from 'node:crypto';

import type { HomeserverClient } from '../../access/users/homeserver-client.js';
import { ApiError } from '../../base/errors/api-error.js';
import { errorCode } from '../../base/errors/error-code.js';
import { failed, fine, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

const HREF = '/settings?q=auth.homeserver_url';

/** Whether the homeserver tells whose access token it is: asked about one that nobody has. */
export function homeserverProbe(homeserver: Pick<HomeserverClient, 'findOwner'>, url: string): Probe {
  return {
    line: { key: 'homeserver', title: 'Access tokens', how: 'asked the homeserver about a made-up token' },
    job: {
      name: 'prove_homeserver',
      title: 'Ask the homeserver',
      description:
        'Asks the homeserver whose a made-up access token is, as each request for a preview makes us ask, and ' +
        'keeps the answer for the health list. Changes nothing else.',
    },
    subject: url,
    prove: () => proveHomeserver(homeserver, url),
  };
}

async function proveHomeserver(
  homeserver: Pick<HomeserverClient, 'findOwner'>,
  url: string,
): Promise<Finding> {
  const token = `vidimus-probe-${randomBytes(12).toString('hex')}`;
  const startedMs = performance.now();
  try {
    const { user } = await homeserver.findOwner({ token, asUserId: null, asker: undefined });
    const ms = Math.round(performance.now() - startedMs);
    if (user === null) return fine(`${url} answered in ${ms} ms.`, '/settings?q=auth');
    return failed(
      `${url} takes a made-up access token for one of ${user.userId}.`,
      'Anybody may ask for previews. Name the homeserver itself in auth.homeserver_url.',
      HREF,
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failed(
      `${url} cannot be asked about access tokens: ${whyOf(error)}. Previews are refused with 503.`,
      'Look whether the homeserver runs, and whether auth.homeserver_url is its address.',
      HREF,
    );
  }
}

function whyOf({ cause }: ApiError): string {
  if (!(cause instanceof Error)) return 'its answer is not that of a homeserver';
  return errorCode(cause) || cause.message;
}
