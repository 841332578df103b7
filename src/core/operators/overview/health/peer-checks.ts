import { DAY_MS, type Clock } from '../../../base/clock.js';
import { fine, unproved, warning, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

const TLS_REASONS = ['tls_expired', 'tls_failure', 'tls_not_yet_valid', 'tls_self_signed', 'tls_unknown_ca'];

/** Whether TLS to other servers works, as the latest key fetches saw it. Nobody is asked for that alone. */
export function outgoingTlsCheck(
  store: Pick<HealthStore, 'latestFetch'>,
  { clock }: { clock: Clock },
): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    const sinceTs = clock.now() - DAY_MS;
    const good = await store.latestFetch('ok', sinceTs);
    if (good !== null) {
      const found = fine(`The keys of ${good.serverName} came over TLS that was checked.`, '/keys');
      return { ...found, provedTs: good.startedTs };
    }
    const bad = await store.latestFetch('failed', sinceTs, TLS_REASONS);
    if (bad === null)
      return {
        ...unproved('No keys were fetched in the last day.', '/keys'),
        advice: 'Diagnose a server that is known to work: each stage is told.',
      };
    return warning(
      `No keys came in the last day; those of ${bad.serverName} failed by TLS: ${bad.message ?? 'no reason told'}.`,
      "Look at the clock, at the certificate authorities of Node, and whether a firewall opens other servers' TLS.",
      '/keys?failing=true',
    );
  };
  return { key: 'outgoing_tls', title: 'Outgoing TLS', how: 'the latest key fetches', look };
}
