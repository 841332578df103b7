import type { ClientBound, ReachedClientBounds } from '../../../base/places/reached-bounds.js';
import { counted } from '../../../base/text/counted.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

const HAPPENED: Readonly<Record<ClientBound, string>> = {
  connections: 'server.max_connections',
  client_connections: 'server.max_connections_per_client',
  unsent: 'server.max_unsent_size',
  client_unsent: 'server.max_unsent_size_per_client',
  stalled: 'server.stall_timeout',
  large_answers: 'too many answers above 1 MB',
  pipelined: 'too many requests ahead of their answers',
  tokens: 'auth.max_waiting_tokens',
};

/** Whether clients had to be held back or cut off. */
export function clientChecks(bounds: Pick<ReachedClientBounds, 'lately'>): NamedCheck[] {
  return [{ key: 'clients', title: 'Clients', look: async () => checkClients(bounds) }];
}

function checkClients({ lately }: Pick<ReachedClientBounds, 'lately'>): Finding {
  if (lately.length === 0) return fine('None was held back or cut off in the last hour.');
  const times = lately.reduce((sum, reached) => sum + reached.times, 0);
  const reached = lately.map(({ bound }) => HAPPENED[bound]).join(', ');
  return warning(
    `Clients were held back or cut off ${counted(times, 'time')} in the last hour: ${reached}.`,
    'Somebody opens many connections, does not read the answers or invents access tokens; the log names one client a minute.',
    '/settings?q=server',
  );
}
