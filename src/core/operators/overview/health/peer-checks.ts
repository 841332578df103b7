import { DAY_MS, SECOND_MS, type Clock } from '../../../base/clock.js';
import { ApiError } from '../../../base/errors/api-error.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

const LINE = { key: 'outgoing_tls', title: 'Outgoing TLS' } as const;
const TLS_ADVICE =
  "Look at the clock, at the certificate authorities of Node, and whether a firewall opens other servers' TLS.";
/** `Date` counts whole seconds, and answers take their time. */
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;
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
      TLS_ADVICE,
      '/keys?failing=true',
    );
  };
  return { ...LINE, how: 'the latest key fetches', look };
}

/** An https address of the configuration, for one checked connection. */
export interface TlsTrial {
  host: string;
  clock: Clock;
  /** The header `Date` of whatever answers (RFC 9110 §6.6.1). Rejects with an `ApiError` of an outbound reason. */
  askForDate: () => Promise<string | undefined>;
}

/** The same line by one connection made now, and its clock beside ours; `null`: nothing is configured to connect to. */
export function tlsTrialCheck(trial: TlsTrial | null): NamedCheck {
  if (trial === null)
    return { ...LINE, how: 'looked for an https address', look: async () => NOTHING_TO_TRY };
  return { ...LINE, how: `made a checked connection to ${trial.host}`, look: () => tryTls(trial) };
}

const NOTHING_TO_TRY: Finding = {
  ...unproved('The configuration names no https address to try.'),
  advice: '"vidimus key diagnose NAME" tries it with any server.',
};

async function tryTls({ host, clock, askForDate }: TlsTrial): Promise<Finding> {
  try {
    const date = Date.parse((await askForDate()) ?? '');
    const differenceMs = clock.now() - date;
    const checked = `The certificate of ${host} was checked`;
    if (Number.isNaN(differenceMs)) return fine(`${checked}.`);
    if (Math.abs(differenceMs) <= MAX_DIFFERENCE_MS)
      return fine(`${checked}, and its clock agrees with ours.`);
    const seconds = Math.round(Math.abs(differenceMs) / SECOND_MS);
    const how = differenceMs > 0 ? 'ahead of' : 'behind';
    return warning(
      `${checked}, but this machine is ${seconds} s ${how} it.`,
      'Run a time service such as chrony; keys and certificates expire by this clock.',
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const told = `${host}: ${error.detail ?? error.message}.`;
    if (error.reason?.startsWith('tls_') === true)
      return failed(`No checked connection to ${told}`, TLS_ADVICE);
    return {
      ...unproved(`No answer from ${told}`),
      advice: 'Look whether it runs and can be reached from here.',
    };
  }
}
