import type {
  ClientBound,
  ReachedBound,
  ReachedClientBounds,
  ReachedHandshakes,
  RefusedRequest,
} from '../../../base/places/reached-bounds.js';
import { counted } from '../../../base/text/counted.js';
import type { NameLookups } from '../../../net/dns/name-lookups.js';
import { isEverydayBound, type FetchQueue } from '../../../notary/keys/fetching/fetch-queue.js';
import type { FailedServers } from '../../../notary/keys/saving/failed-servers.js';
import type { AlarmBounds } from '../../../notary/keys/saving/alarm-bounds.js';
import type { DomainBudget } from '../../../notary/keys/saving/domain-budget.js';
import type { PreviewBounds } from '../../../preview/pipeline/preview-bounds.js';
import { fine, warning, type Finding, type NamedCheck } from './health-check.js';

const COUNTED_HERE = 'counted by this process';

/** How bounds of one kind are told. */
interface BoundCheck<Bound extends string> extends Pick<NamedCheck, 'key' | 'title'> {
  bounds: { readonly lately: readonly ReachedBound<string>[] };
  /** The sentence while none was reached. */
  none: () => string;
  /** What happened so many times, up to "in the last hour". */
  happened: (times: number) => string;
  /** What each bound is called: mostly its setting. Others are none of this check's. */
  names: Readonly<Record<Bound, string>>;
  /** `null`: nobody else suffers when they are reached, and it is told without a warning. */
  advice: string | null;
  /** Which of them are told without a warning all the same; none when absent. */
  isEveryday?: (bound: string) => boolean;
  href: string;
}

function boundCheck<Bound extends string>({ key, title, ...check }: BoundCheck<Bound>): NamedCheck {
  const look = async (): Promise<Finding> => {
    const names = new Map<string, string>(Object.entries(check.names));
    const lately = check.bounds.lately.filter(({ bound }) => names.has(bound));
    if (lately.length === 0) return fine(check.none());
    const toLookAt = lately.filter(({ bound }) => check.isEveryday?.(bound) !== true);
    const told = toLookAt.length === 0 ? lately : toLookAt;
    const reached = [...new Set(told.map(({ bound }) => names.get(bound)))].join(', ');
    const sentence = `${check.happened(timesOf(told))} in the last hour: ${reached}.`;
    return check.advice === null || toLookAt.length === 0
      ? fine(sentence, check.href)
      : warning(sentence, check.advice, check.href);
  };
  return { key, title, how: COUNTED_HERE, isOfProcess: true, look };
}

const timesOf = (reached: readonly ReachedBound<string>[]): number =>
  reached.reduce((sum, { times }) => sum + times, 0);
const were = (times: number): string => (times === 1 ? 'was' : 'were');
const fetches = (count: number): string => `${count} key ${count === 1 ? 'fetch' : 'fetches'}`;

/** Whether clients had to be held back or cut off. */
export function clientCheck(bounds: Pick<ReachedClientBounds, 'lately'>): NamedCheck {
  return boundCheck({
    key: 'clients',
    title: 'Clients',
    bounds,
    none: () => 'None was held back or cut off in the last hour.',
    happened: (times) => `Clients were held back or cut off ${counted(times, 'time')}`,
    names: {
      connections: 'server.max_connections',
      client_connections: 'server.max_connections_per_client',
      bodies: 'server.max_body_memory',
      client_bodies: 'server.max_body_memory_per_client',
      unsent: 'server.max_unsent_size',
      client_unsent: 'server.max_unsent_size_per_client',
      stalled: 'server.stall_timeout',
      large_answers: 'server.max_waiting_answers',
      large_turn: 'server.large_answer_turn',
      pipelined: 'server.max_pipelined_requests',
      tokens: 'auth.max_waiting_tokens',
      token_reads: 'auth.max_waiting_token_reads',
      log_reads: 'log.max_waiting_reads',
    } satisfies Record<Exclude<ClientBound, RefusedRequest>, string>,
    advice:
      'Somebody opens many connections, leaves bodies unfinished or answers unread, or invents access tokens; the log names one client a minute.',
    href: '/settings?q=server',
  });
}

/** Which bounds single requests have reached. Nobody but their senders is refused anything. */
export function refusedRequestCheck(bounds: Pick<ReachedClientBounds, 'lately'>): NamedCheck {
  return boundCheck({
    key: 'refused_requests',
    title: 'Bounds of requests',
    bounds,
    none: () => 'No request reached one in the last hour.',
    happened: (times) => `Requests reached a bound ${counted(times, 'time')}`,
    names: {
      head: 'heads above 16 KiB',
      handshake: 'server.head_timeout',
      slow_request: 'server.request_timeout',
      body: 'server.max_body_size',
      json: 'depth and number of JSON values',
      servers: 'keys.max_servers_per_query',
      key_ids: 'keys.max_key_ids_per_query',
      answer: 'keys.max_answer_size',
      previews: 'rate of previews',
      sign_in: 'tries to sign in',
      graphql: 'requests to GraphQL',
      request_lines: 'log.max_request_lines',
    } satisfies Record<RefusedRequest, string>,
    advice: null,
    href: '/settings?q=server',
  });
}

/** Whether other servers sent too much for a TLS handshake. */
export function handshakeCheck(handshakes: Pick<ReachedHandshakes, 'lately'>): NamedCheck {
  return boundCheck({
    key: 'tls_handshakes',
    title: 'TLS handshakes',
    bounds: handshakes,
    none: () => 'No server sent too much for one in the last hour.',
    happened: (times) => `${counted(times, 'connection')} ${were(times)} given up`,
    names: { max_tls_handshake_size: 'max_tls_handshake_size' },
    advice:
      'A server sends far too many certificates; the log names one a minute. Raise the setting if its keys are needed.',
    href: '/settings?q=max_tls_handshake_size',
  });
}

/** Whether key fetches had to wait for one another. */
export function fetchCheck(queue: Pick<FetchQueue, 'bounds' | 'load'>): NamedCheck {
  return boundCheck({
    key: 'fetch_queue',
    title: 'Queue of key fetches',
    bounds: queue.bounds,
    none: () => `${fetches(queue.load.running)} under way, none held back for long.`,
    happened: (times) => `${fetches(times)} had to wait or ${were(times)} given up`,
    names: {
      asker: 'federation.max_concurrent_fetches_per_asker',
      question: 'federation.max_concurrent_fetches_per_query',
      domain: 'federation.max_concurrent_fetches_per_domain',
      address: 'federation.first_connections',
      host: 'federation.first_connections',
      pause: 'federation.silent_address_pause',
      failures: 'too many failures at an address that answers',
      total: 'federation.max_concurrent_fetches',
      waiting: 'federation.max_waiting_fetches',
    },
    isEveryday: isEverydayBound,
    advice: 'Somebody asks for many servers that do not answer; the log names their domains and addresses.',
    href: '/settings?q=federation',
  });
}

/** Whether records were kept in memory only. */
export function budgetCheck({ bounds }: Pick<DomainBudget, 'bounds'>): NamedCheck {
  return boundCheck({
    key: 'key_storage',
    title: 'Storage of key records',
    bounds,
    none: () => 'Every record fetched in the last hour has been stored.',
    happened: (times) => `${counted(times, 'key record')} ${were(times)} kept in memory only`,
    names: {
      servers: 'federation.max_stored_servers_per_domain',
      bytes: 'federation.max_stored_bytes_per_domain',
      spellings: 'federation.max_stored_spellings',
      total: 'federation.max_stored_bytes',
    },
    advice:
      'Somebody has very many servers or records; the log names their domains. Raise the setting if they are meant to be kept.',
    href: '/settings?q=federation',
  });
}

/** Whether alarms were not raised, or were taken back. */
export function alarmCheck({ bounds }: Pick<AlarmBounds, 'bounds'>): NamedCheck {
  return boundCheck({
    key: 'key_alarms',
    title: 'Bounds of alarms',
    bounds,
    none: () => 'Every alarm of keys of the last hour has been raised.',
    happened: (times) => `${counted(times, 'alarm')} of keys gave way`,
    names: { domain: 'alerts.max_alarms_per_domain', total: 'alerts.max_alarms' },
    advice:
      'Too many wait for somebody to acknowledge them; the log names the domains, and the events of keys hold all that happened.',
    href: '/keys?look=true',
  });
}

/** Whether failed fetches left no row of their own. That is meant to be, and costs nobody anything. */
export function failedServerCheck({ bounds }: Pick<FailedServers, 'bounds'>): NamedCheck {
  return boundCheck({
    key: 'failed_servers',
    title: 'Servers nobody has reached',
    bounds,
    none: () => 'Every failed key fetch of the last hour has a row of its own.',
    happened: (times) => `${fetches(times)} of such servers ${were(times)} only counted`,
    names: { failed_servers: 'federation.max_failed_servers' },
    advice: null,
    href: '/keys?failing=true',
  });
}

/** Whether look-ups of names had to wait for one another. */
export function lookupCheck(lookups: Pick<NameLookups, 'bounds' | 'load'>): NamedCheck {
  return boundCheck({
    key: 'name_lookups',
    title: 'Name resolution',
    bounds: lookups.bounds,
    none: () => `${counted(lookups.load.running, 'look-up')} under way, none held back.`,
    happened: (times) => `${counted(times, 'look-up')} had to wait or ${were(times)} refused`,
    names: {
      asker: 'dns.max_lookups_per_asker',
      domain: 'dns.max_lookups_per_domain',
      total: 'dns.max_lookups',
      waiting: 'dns.max_lookups',
    },
    advice:
      'Somebody asks for many names whose name servers are silent, or our own resolver is slow; the log names the domains.',
    href: '/settings?q=dns',
  });
}

/** Whether previews were refused; having to wait for one another is everyday work of theirs. */
export function previewPlaceCheck({ reached }: Pick<PreviewBounds, 'reached'>): NamedCheck {
  const look = async () => {
    const { lately } = reached;
    const refusals = timesOf(lately.filter(({ bound }) => bound.endsWith('_waiting')));
    const waits = timesOf(lately) - refusals;
    if (refusals === 0)
      return fine(`${counted(waits, 'wait')} for a place in the last hour, and nothing was refused.`);
    return warning(
      `${counted(refusals, 'preview')} found a full queue in the last hour.`,
      'The log names the bounds. previews.max_queued, previews.max_concurrent and previews.max_body_memory admit more.',
      '/settings?q=previews.max',
    );
  };
  return { key: 'preview_places', title: 'Places for previews', how: COUNTED_HERE, isOfProcess: true, look };
}
