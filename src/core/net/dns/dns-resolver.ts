import { LRUCache } from 'lru-cache';

import {
  FairQueue,
  type Client,
  type QueueLimit,
  type QueueLoad,
  type QueueTicket,
} from '../../base/fair-queue.js';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.js';
import { Deadline } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { ReachedBounds } from '../../base/limits/reached-bounds.js';
import type { Logger } from '../../base/logger.js';
import { registrableDomain } from '../address/ip-address.js';
import { DnsChannels, type Answer, type DnsServers, type SrvRecord } from './dns-channels.js';
import { withFamily, type ResolvedAddress } from './system-files.js';

export interface FoundAddresses {
  addresses: readonly ResolvedAddress[];
  /** Whether DNS says that the name does not exist. */
  isAbsent?: boolean | undefined;
}

/**
 * Name look-up for outgoing requests. Failures (SERVFAIL, refused, no answer) are thrown as `ApiError` with
 * reason `dns_failure`, `dns_timeout` or `dns_busy`; a name that does not exist is no failure. Look-ups are shared out
 * among clients; without one a look-up counts for the domain of its name alone.
 */
export interface Resolver {
  /** A and AAAA records with CNAMEs followed; no addresses when the name does not exist. Kept for 30 seconds at least. */
  lookup(name: string, client?: Client): Promise<FoundAddresses>;
  /** SRV records of the first of the names that has some, in the order received; remembered by the first one. */
  srv(names: readonly string[], client?: Client): Promise<Answer<SrvRecord> | 'none'>;
  /** Drops what is remembered about a name, because a connection to it failed. */
  forget(name: string): void;
}

/** How a look-up ended; labels of the metric dns_lookups_total. */
export type LookupOutcome = 'ok' | 'dns_failure' | 'dns_timeout' | 'dns_busy';

/** Names of the limits in metrics and health. */
const BOUNDS = { client: 'asker', group: 'domain', total: 'total', waiting: 'waiting' } as const;
type LookupBound = (typeof BOUNDS)[QueueLimit];

/** What look-ups are made with, and how many may run at once, each holding one socket. */
export interface DnsResolverOptions extends DnsServers {
  /** Fixed addresses of names, lower case; these names are never asked for in DNS. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** In total; as many may wait. A quarter of them for one domain. */
  maxLookups: number;
  /** `null`: nothing is logged. */
  logger: Logger | null;
  /** Counts them by outcome. */
  outcomes?: { inc(labels: { outcome: LookupOutcome }): void } | undefined;
  onBound?: (bound: LookupBound) => void;
}

/** How a name is looked up. */
interface LookupManner {
  /** How long it is waited for; the look-up itself goes on, and what comes later is remembered. */
  limitMs?: number | undefined;
  /** Nothing remembered is answered. */
  isFresh?: boolean;
}

interface LookupWork<T> {
  client: Client | undefined;
  look: () => Promise<Answer<T>>;
}

interface Kept<T> {
  answer: Answer<T> | null;
  sinceTs: number;
  lifetimeMs: number;
}

/** One kind of records, by name: what is being looked up, and what is remembered, `null` of a name that was silent. */
interface Records<T> {
  flights: Map<string, { ticket: QueueTicket; outcome: Promise<Answer<T>> }>;
  kept: LRUCache<string, Kept<T>>;
}

/** Limit of one whole look-up. */
export const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS;

const MAX_CACHED_NAMES = 10_000;
/** Of a name in the caches; one with more, as hostile ones have 15 kB, takes the place of several. */
const BYTES_OF_NAME = 800;
const BYTES_OF_RECORD = 100;
const MAX_KEPT_MS = 5 * MINUTE_MS;
/** How long a name whose look-up timed out is not asked for again. */
const SILENCE_MS = 10 * SECOND_MS;
/** RFC 1035 §2.3.4, without the final dot. */
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
/** Addresses of `localhost` and all names below it (RFC 6761 §6.3). */
const LOOPBACK: readonly ResolvedAddress[] = ['127.0.0.1', '::1'].map(withFamily);
const LOCALHOST = /^(?:.+\.)?localhost$/;

/**
 * All look-ups of the process: one for each name at a time, bounded in number and shared out among clients. Addresses are
 * kept for their TTL, at least 30 seconds and at most 5 minutes; SRV answers 5 minutes. Of failures only time-outs are
 * kept, for seconds: the name is not waited for again and again.
 */
export class DnsResolver implements Resolver {
  readonly bounds: ReachedBounds<LookupBound>;
  readonly #queue: FairQueue;
  readonly #addresses = noRecords<ResolvedAddress>(() => 0);
  readonly #services = noRecords<SrvRecord>(({ target }) => target.length);
  readonly #channels: DnsChannels;

  constructor(private readonly options: DnsResolverOptions) {
    const { clock, logger, onBound, maxLookups } = options;
    this.#channels = new DnsChannels(options);
    const message = 'name look-ups wait: a limit is reached';
    this.bounds = new ReachedBounds({ clock, log: (line) => logger?.warn(line, message), count: onBound });
    this.#queue = new FairQueue({
      maxRunning: maxLookups,
      maxRunningPerGroup: Math.ceil(maxLookups / 4),
      maxWaiting: maxLookups,
      maxWaitMs: options.limitMs,
      onLimit: (limit, { group }) => this.bounds.note(BOUNDS[limit], { domain: group, ...this.load }),
    });
  }

  /** Look-ups running and waiting now. */
  get load(): QueueLoad {
    return this.#queue.load;
  }

  /** One family failing is forgiven when the other has addresses. */
  async lookup(written: string, client?: Client, manner: LookupManner = {}): Promise<FoundAddresses> {
    const name = nameOf(written);
    if (name === null) return { addresses: [] };
    const { servers, files, hosts } = this.options;
    const own = hosts.get(name)?.map(withFamily);
    const fixed = own ?? (servers.length === 0 ? (await files.hosts()).get(name) : undefined);
    if (fixed !== undefined || LOCALHOST.test(name)) return { addresses: fixed ?? LOOPBACK };
    const look = () => this.#channels.addresses(name);
    const { records, isAbsent } = await this.#find(this.#addresses, name, { ...manner, client, look });
    return { addresses: records, isAbsent };
  }

  /** Those of the first priorities where there are very many. */
  async srv(written: readonly string[], client?: Client, manner: LookupManner = {}) {
    const names = written.filter((each) => nameOf(each) !== null);
    const name = nameOf(names[0] ?? '');
    if (name === null) return 'none';
    const look = () => this.#channels.services(names);
    const asked = names.join(' and ');
    const found = await this.#find(this.#services, name, { ...manner, client, look, asked });
    return found.records.length === 0 ? 'none' : found;
  }

  forget(written: string): void {
    const name = nameOf(written) ?? '';
    this.#addresses.kept.delete(name);
    this.#services.kept.delete(name);
  }

  /** A resolver over the same look-ups with another limit, or one that answers nothing remembered. */
  inManner(manner: LookupManner): Resolver {
    return {
      lookup: (name, client) => this.lookup(name, client, manner),
      srv: (names, client) => this.srv(names, client, manner),
      forget: (name) => this.forget(name),
    };
  }

  /** Ends look-ups under way; they end as failures. */
  close(): void {
    this.#channels.close();
  }

  async #find<T>(
    of: Records<T>,
    name: string,
    { limitMs, isFresh, asked = name, ...work }: LookupManner & LookupWork<T> & { asked?: string },
  ): Promise<Answer<T>> {
    const kept = isFresh === true ? undefined : of.kept.get(name);
    const ageMs = this.options.clock.now() - (kept?.sinceTs ?? 0);
    // What began in the future comes from a clock that was set back: it is over.
    if (kept !== undefined && ageMs >= 0 && ageMs < kept.lifetimeMs) {
      if (kept.answer !== null) return kept.answer;
      throw outboundError('dns_timeout', `${asked}: no answer a moment ago`);
    }
    return Deadline.run(limitMs ?? LOOKUP_TIMEOUT_MS, (limit) =>
      limit.race(this.#share(of, name, work), 'dns_timeout', `${asked}: no answer in time`),
    );
  }

  #share<T>(of: Records<T>, name: string, { client, look }: LookupWork<T>): Promise<Answer<T>> {
    const group = registrableDomain(name);
    const by = client ?? `domain:${group}`;
    const running = of.flights.get(name);
    if (running !== undefined) {
      running.ticket.join(by);
      return running.outcome;
    }
    const ticket = this.#queue.enter({ client: by, group });
    const keep = (answer: Answer<T> | null, lifetimeMs: number): void => {
      of.kept.set(name, { answer, sinceTs: this.options.clock.now(), lifetimeMs });
    };
    const run = async (): Promise<Answer<T>> => {
      try {
        if (!(await ticket.admitted))
          throw outboundError('dns_busy', `no slot for a look-up below ${group}: ${this.load.waiting} wait`);
        const answer = await look();
        // What does not exist takes the place of nothing that does.
        if (answer.ttlMs > 0) keep(answer, Math.min(answer.ttlMs, MAX_KEPT_MS));
        this.options.outcomes?.inc({ outcome: 'ok' });
        return answer;
      } catch (error) {
        const reason = error instanceof ApiError ? error.reason : null;
        if (reason === 'dns_timeout') keep(null, SILENCE_MS);
        const outcome = reason === 'dns_timeout' || reason === 'dns_busy' ? reason : 'dns_failure';
        this.options.outcomes?.inc({ outcome });
        throw error;
      } finally {
        ticket.leave();
        of.flights.delete(name);
      }
    };
    const outcome = run();
    of.flights.set(name, { ticket, outcome });
    return outcome;
  }
}

function noRecords<T>(textBytes: (record: T) => number): Records<T> {
  const sizeCalculation = ({ answer }: Kept<T>): number => {
    const records = answer?.records ?? [];
    const bytes = records.reduce((sum, record) => sum + BYTES_OF_RECORD + textBytes(record), 0);
    return Math.max(1, Math.ceil(bytes / BYTES_OF_NAME));
  };
  return { flights: new Map(), kept: new LRUCache({ maxSize: MAX_CACHED_NAMES, sizeCalculation }) };
}

/** Lower case, without the final dot; null for what cannot be a DNS name (RFC 1035 §2.3.4) and needs no query. */
function nameOf(written: string): string | null {
  const name = written.toLowerCase().replace(/\.$/, '');
  if (name.length > MAX_NAME_LENGTH) return null;
  return name.split('.').every(({ length }) => length > 0 && length <= MAX_LABEL_LENGTH) ? name : null;
}
