import { randomBytes } from 'node:crypto';

import { ApiError } from '../../../base/errors/api-error.js';
import type { Resolver } from '../../../net/dns/dns-resolver.js';
import { failed, ok, type Check } from '../health.js';

const HREF = '/settings?q=dns';

/** Whether names are resolved: any answer about a new name proves it, also that it does not exist. */
export function dnsCheck(resolver: Pick<Resolver, 'lookup'>, domain: string): Check {
  return {
    id: 'dns',
    title: 'DNS',
    how: `looked up a random name below ${domain}`,
    isProbe: true,
    check: async () => {
      const startedMs = performance.now();
      try {
        await resolver.lookup(`vidimus-probe-${randomBytes(6).toString('hex')}.${domain}.`);
        return ok(`Answered in ${Math.round(performance.now() - startedMs)} ms.`, HREF);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return failed(
          `No answer: ${error.detail ?? error.message}. Key fetches and previews of new names fail.`,
          'Check the DNS servers of this machine, or name others in dns.servers.',
          HREF,
        );
      }
    },
  };
}
