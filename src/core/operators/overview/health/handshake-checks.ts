import type { ReachedHandshakes } from '../../../base/places/reached-bounds.js';
import { counted } from '../../../base/text/counted.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';

/** Whether other servers sent too much for a TLS handshake. */
export function handshakeChecks(handshakes: Pick<ReachedHandshakes, 'lately'>): NamedCheck[] {
  return [{ key: 'tls_handshakes', title: 'TLS handshakes', look: async () => checkHandshakes(handshakes) }];
}

function checkHandshakes({ lately }: Pick<ReachedHandshakes, 'lately'>): Finding {
  const [reached] = lately;
  if (reached === undefined) return fine('No server sent too much for one in the last hour.');
  return warning(
    `${counted(reached.times, 'connection')} ${reached.times === 1 ? 'was' : 'were'} given up in the last hour: max_tls_handshake_size.`,
    'A server sends far too many certificates; the log names one a minute. Raise the setting if its keys are needed.',
    '/settings?q=max_tls_handshake_size',
  );
}
