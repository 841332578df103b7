import { MINUTE_MS, SECOND_MS } from '../core/base/clock.js';
import type { Resolver } from '../core/net/dns/dns-resolver.js';
import { FairQueue, type QueueLimit } from '../core/base/fair-queue.js';
import { ReachedBounds } from '../core/base/limits/reached-bounds.js';
import type { Config } from '../config/schema.js';
import { AddressGate } from '../core/net/http/guarded-connect.js';
import { FederationClient } from '../core/notary/federation/federation-client.js';
import type { AcceptedRecord, KeyRecordPolicy } from '../core/notary/key-record/key-record.js';
import { KeyFetcher } from '../core/notary/keys/key-fetcher.js';
import { KeyRefresher } from '../core/notary/keys/key-refresher.js';
import { OutcomeSaver, type OutcomeSaverOptions } from '../core/notary/keys/saving/outcome-saver.js';
import { DomainBudget, FailedServers } from '../core/notary/keys/saving/storage-limits.js';
import { KNOWN_BANNED_PUBLIC_KEYS } from '../core/notary/signing/signer.js';
import {
  diagnoseServer,
  type DiagnosisParts,
  type DiagnosisRequest,
  type ServerDiagnosis,
} from '../core/operators/diagnosis/diagnose-server.js';
import { FETCH_LIMITS, KEY_STORAGE_LIMITS } from '../core/operators/health/limit-settings.js';
import { USER_AGENT_NAME, type ContextParts, type FetchParts } from './parts.js';

/** An address that does not answer leaves time for a second one. */
const CONNECT_TIMEOUT_MS = 3 * SECOND_MS;
/** Records of real servers have some kilobytes and a few keys. */
const MAX_KEY_RECORD_BYTES = 256 * 1024;
const MAX_KEYS_PER_RECORD = 250;
/** Whatever names lead there (IPv6: to its /64). */
const MAX_CONNECTIONS_PER_ADDRESS = 32;
const MAX_WAITING_FETCHES = 4096;
/** Servers without a record whose failures are rows; others are only counted. */
const FAILED_SERVERS = { maxServers: 1000, maxServersPerDomain: 100 };
/** What the servers below one registrable domain may store; more is served from memory only. */
export const STORED_PER_DOMAIN = {
  maxServers: 10_000,
  maxBytes: 256 * 1024 * 1024,
};
/** Fetches per host that clients can cause at will; the pause after failures in a row. */
const THROTTLE = { burst: 10, intervalMs: 6 * SECOND_MS };
const BACKOFF = { afterFailures: 3, initialMs: 5 * SECOND_MS, maximumMs: 10 * MINUTE_MS };

function createFetcher(
  parts: Omit<FetchParts, 'resolver'> & { resolver: Resolver },
  gate?: AddressGate,
): { client: FederationClient; fetcher: KeyFetcher } {
  const { federation } = parts.config;
  const client = new FederationClient({
    ...parts,
    onLargeHandshake: (host) => parts.handshakes.note('handshake_bytes', { host }),
    defaultPort: federation.default_port,
    wellKnownPort: federation.well_known_port,
    keyFetchTimeoutMs: federation.key_fetch_timeout,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxKeyRecordBytes: MAX_KEY_RECORD_BYTES,
    userAgent: USER_AGENT_NAME,
    gate,
  });
  return {
    client,
    fetcher: new KeyFetcher(client, keyRecordPolicyOf(parts.config)),
  };
}

export function keyRecordPolicyOf({ federation }: Config): KeyRecordPolicy {
  const banned = federation.banned_keys.map((key) => Buffer.from(key, 'base64').toString('hex'));
  return {
    requireAllKeysSigned: federation.require_all_keys_signed,
    bannedPublicKeys: new Set([...KNOWN_BANNED_PUBLIC_KEYS, ...banned]),
    maxKeys: MAX_KEYS_PER_RECORD,
  };
}

/** Diagnoses with a client and a resolver of its own, which remember nothing from earlier. */
export function diagnoseAfresh(
  parts: FetchParts & Pick<DiagnosisParts, 'whitelist' | 'stored'>,
  question: DiagnosisRequest,
): Promise<ServerDiagnosis> {
  return withFreshFetcher(parts, (fetcher) => diagnoseServer({ ...parts, fetcher }, question));
}

/** Our own record as a peer gets it that knows nothing of us but our name. Stores nothing. */
export function fetchOwnRecord(
  parts: FetchParts,
  signal: AbortSignal = new AbortController().signal,
): Promise<AcceptedRecord> {
  return withFreshFetcher(parts, async (fetcher) => {
    const trace = { step: () => undefined };
    return (await fetcher.fetch(parts.config.server_name, trace, { signal })).record;
  });
}

/** Runs work with a fetcher and a resolver of its own, which remember nothing from earlier. */
async function withFreshFetcher<T>(parts: FetchParts, work: (fetcher: KeyFetcher) => Promise<T>): Promise<T> {
  const { client, fetcher } = createFetcher({
    ...parts,
    resolver: parts.resolver.inManner({ isFresh: true }),
  });
  try {
    return await work(fetcher);
  } finally {
    client.close();
  }
}

/** Metric labels for the limits of the fetch queue; the one for a client is `asker`. */
const FETCH_BOUNDS = { client: 'asker', group: 'address', total: 'total', waiting: 'waiting' } as const;
type FetchBound = (typeof FETCH_BOUNDS)[QueueLimit];
/** Limits that everyday work reaches: a query for many servers, and servers that share an address. */
const EVERYDAY: ReadonlySet<string> = new Set<FetchBound>(['asker', 'address']);
const isEveryday = (bound: string): boolean => EVERYDAY.has(bound);
/** Then a fetch that waits is dropped; the query that wanted it has long been answered. */
const MAX_WAIT_MS = MINUTE_MS;

function createFetchQueue({ config: { federation }, clock, logger, metrics }: ContextParts) {
  const bounds = new ReachedBounds<FetchBound>({
    clock,
    log: (line) =>
      logger[isEveryday(line.bound) ? 'info' : 'warn'](line, 'key fetches wait: a limit is reached'),
    count: (bound) => metrics.keyFetchBounds.inc({ bound }),
  });
  const queue: FairQueue = new FairQueue({
    maxRunning: federation.max_concurrent_fetches,
    maxRunningPerGroup: MAX_CONNECTIONS_PER_ADDRESS,
    maxWaiting: MAX_WAITING_FETCHES,
    maxWaitMs: MAX_WAIT_MS,
    onLimit: (limit, { client, group }) =>
      bounds.note(FETCH_BOUNDS[limit], { client, address: group, ...queue.load }),
  });
  metrics.observeKeyFetches(() => queue.load);
  return { queue, bounds };
}

function createStorageBounds(parts: ContextParts) {
  const { config, metrics } = parts;
  const onCounted = () => metrics.keyFetchesCounted.inc();
  const budget = new DomainBudget({
    ...parts,
    ...STORED_PER_DOMAIN,
    maxTotalBytes: config.federation.max_stored_bytes,
    onBound: (bound) => metrics.keyRecordsNotStored.inc({ bound }),
  });
  return { failedServers: new FailedServers({ ...parts, ...FAILED_SERVERS, onCounted }), budget };
}

export function createFetching(parts: ContextParts, hooks: Pick<OutcomeSaverOptions, 'cache' | 'listener'>) {
  const { config, metrics } = parts;
  const { queue, bounds } = createFetchQueue(parts);
  const { client, fetcher } = createFetcher(parts, new AddressGate(MAX_CONNECTIONS_PER_ADDRESS));
  const { budget, failedServers } = createStorageBounds(parts);
  const refresher = new KeyRefresher({
    ...parts,
    fetcher,
    failedServers,
    saver: new OutcomeSaver({ ...parts, ...hooks, failedServers, budget }),
    queue,
    maxNamesPerClient: Math.ceil(config.federation.max_concurrent_fetches / 2),
    throttle: THROTTLE,
    backoff: BACKOFF,
    outcomes: metrics.keyFetches,
  });
  const limits = [
    { title: 'Key fetch queue', bounds, settings: FETCH_LIMITS, isHarmless: isEveryday },
    { title: 'Stored key records', bounds: budget.bounds, settings: KEY_STORAGE_LIMITS },
  ];
  const close = async (): Promise<void> => {
    queue.close();
    client.close();
    await refresher.settle();
  };
  return { client, refresher, limits, close };
}
