import { randomBytes } from 'node:crypto';

import { ApiError } from '../../base/errors/api-error.js';
import type { Resolver } from '../../net/dns/resolver.js';
import { failed, fine, type Finding } from '../overview/health/health-check.js';
import type { Probe } from './probe.js';

/** Whether names are resolved: any answer about a name that nobody has asked for before will do, also that it does not exist. */
export function dnsProbe(resolver: Pick<Resolver, 'lookup'>, domain: string): Probe {
  return {
    line: { key: 'dns', title: 'DNS', how: `asked for a made-up name below ${domain}` },
    job: {
      name: 'prove_dns',
      title: 'Ask DNS',
      description:
        'Asks DNS for a made-up name, as key fetches and previews ask for names, and keeps the answer for the ' +
        'health list. Changes nothing else.',
    },
    subject: domain,
    prove: () => proveDns(resolver, domain),
  };
}

async function proveDns(resolver: Pick<Resolver, 'lookup'>, domain: string): Promise<Finding> {
  const startedMs = performance.now();
  try {
    // With the final dot: a search domain that fails keeps no name from being resolved that exists.
    await resolver.lookup(`vidimus-probe-${randomBytes(6).toString('hex')}.${domain}.`);
    return fine(`Answered in ${Math.round(performance.now() - startedMs)} ms.`, '/settings?q=dns');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failed(
      `No answer: ${error.detail ?? error.message}. Key fetches and previews of names not known yet fail.`,
      'Look at the DNS servers of this machine, or name others in dns.servers.',
      '/settings?q=dns',
    );
  }
}
