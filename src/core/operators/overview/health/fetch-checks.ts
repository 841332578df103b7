import { counted } from '../../../base/text/counted.js';
import type { FetchBound, FetchQueue } from '../../../notary/keys/fetching/fetch-queue.js';
import type { DomainBudget } from '../../../notary/keys/saving/domain-budget.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

const SETTINGS: Readonly<Record<FetchBound, string>> = {
  asker: 'federation.max_concurrent_fetches_per_asker',
  question: 'federation.max_concurrent_fetches_per_query',
  domain: 'federation.max_concurrent_fetches_per_domain',
  address: 'federation.first_connections',
  host: 'federation.first_connections',
  pause: 'federation.silent_address_pause',
  total: 'federation.max_concurrent_fetches',
  waiting: 'federation.max_waiting_fetches',
};

type Queue = Pick<FetchQueue, 'boundsReached' | 'load'>;

/** Whether key fetches had to wait for one another. */
export function fetchChecks(queue: Queue): NamedCheck[] {
  return [{ key: 'fetch_queue', title: 'Queue of key fetches', look: async () => checkQueue(queue) }];
}

const fetches = (count: number): string => `${count} key ${count === 1 ? 'fetch' : 'fetches'}`;

function checkQueue({ boundsReached, load }: Queue): Finding {
  if (boundsReached.length === 0) return fine(`${fetches(load.running)} under way, none held back for long.`);
  const times = boundsReached.reduce((sum, reached) => sum + reached.times, 0);
  const settings = [...new Set(boundsReached.map(({ bound }) => SETTINGS[bound]))].join(', ');
  return warning(
    `${fetches(times)} had to wait or ${times === 1 ? 'was' : 'were'} given up in the last hour: ${settings}.`,
    'Somebody asks for many servers that do not answer; the log names their domains and addresses.',
    '/settings?q=federation',
  );
}

type Budget = Pick<DomainBudget, 'boundsReached'>;

/** Whether records were kept in memory only. */
export function budgetChecks(budget: Budget): NamedCheck[] {
  return [{ key: 'key_storage', title: 'Storage of key records', look: async () => checkBudget(budget) }];
}

function checkBudget({ boundsReached }: Budget): Finding {
  if (boundsReached.length === 0) return fine('Every record fetched in the last hour has been stored.');
  const times = boundsReached.reduce((sum, reached) => sum + reached.times, 0);
  const settings = boundsReached.map(({ bound }) => `federation.max_stored_${bound}_per_domain`).join(', ');
  return warning(
    `${counted(times, 'key record')} ${times === 1 ? 'was' : 'were'} kept in memory only in the last hour: ${settings}.`,
    'Somebody has very many servers below one domain; the log names it. Raise the setting if they are meant to be kept.',
    '/settings?q=federation',
  );
}
