import { counted } from '../../../base/text/counted.js';
import type { BoundReached, NameLookups } from '../../../net/dns/name-lookups.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

const SETTINGS: Readonly<Record<BoundReached['bound'], string>> = {
  asker: 'dns.max_lookups_per_asker',
  domain: 'dns.max_lookups_per_domain',
  total: 'dns.max_lookups',
  waiting: 'dns.max_lookups',
};

/** Whether look-ups of names had to wait for one another. */
export function nameChecks(lookups: Pick<NameLookups, 'boundsReached' | 'load'>): NamedCheck[] {
  return [{ key: 'name_lookups', title: 'Name resolution', look: async () => checkLookups(lookups) }];
}

function checkLookups({ boundsReached, load }: Pick<NameLookups, 'boundsReached' | 'load'>): Finding {
  if (boundsReached.length === 0)
    return fine(`${counted(load.running, 'look-up')} under way, none held back.`);
  const times = boundsReached.reduce((sum, reached) => sum + reached.times, 0);
  const settings = [...new Set(boundsReached.map(({ bound }) => SETTINGS[bound]))].join(', ');
  return warning(
    `${counted(times, 'look-up')} had to wait or ${times === 1 ? 'was' : 'were'} refused in the last hour: ${settings}.`,
    'Somebody asks for many names whose name servers are silent, or our own resolver is slow; the log names the domains.',
    '/settings?q=dns',
  );
}
