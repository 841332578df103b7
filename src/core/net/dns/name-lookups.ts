import type { Client } from '../../base/client.js';
import type { Clock } from '../../base/clock.js';
import { FairQueue, type QueueLimit, type QueueLoad, type QueueTicket } from '../../base/fair-queue.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { Logger } from '../../base/logger.js';
import { ReachedBounds } from '../../base/limits/reached-bounds.js';
import { registrableDomain } from '../../base/registrable-domain.js';
import { DnsClient, type AddressAnswer, type DnsClientOptions } from './dns-client.js';
import type { SrvRecord } from './resolver.js';

/** How a look-up ended; labels of the metric dns_lookups_total. */
export type LookupOutcome = 'ok' | 'dns_failure' | 'dns_timeout' | 'dns_busy';

/** Names of the limits in metrics and health. */
const BOUNDS = { client: 'asker', group: 'domain', total: 'total', waiting: 'waiting' } as const;
type LookupBound = (typeof BOUNDS)[QueueLimit];

/** What look-ups are made with, and how many may run at once, each holding one socket. */
export interface NameLookupsOptions extends DnsClientOptions {
  clock: Clock;
  /** In total; as many may wait. */
  maxLookups: number;
  maxLookupsPerClient: number;
  maxLookupsPerDomain: number;
  /** `null`: nothing is told. */
  logger: Logger | null;
  onLookup?: (outcome: LookupOutcome) => void;
  onBound?: (bound: LookupBound) => void;
}

interface Flight<T> {
  ticket: QueueTicket;
  outcome: Promise<T>;
}

/** All look-ups of the process: one for each name at a time, bounded in number and shared out among clients. */
export class NameLookups {
  readonly #client: DnsClient;
  readonly #queue: FairQueue;
  readonly #addresses = new Map<string, Flight<AddressAnswer>>();
  readonly #srv = new Map<string, Flight<SrvRecord[]>>();
  readonly bounds: ReachedBounds<LookupBound>;

  constructor(private readonly options: NameLookupsOptions) {
    const { clock, logger, onBound } = options;
    const message = 'look-ups of names wait: a limit is reached';
    this.bounds = new ReachedBounds({ clock, log: (line) => logger?.warn(line, message), count: onBound });
    this.#client = new DnsClient(options);
    const { maxLookups } = options;
    this.#queue = new FairQueue({
      maxRunning: maxLookups,
      reserved: Math.floor(maxLookups / 2),
      maxRunningPerClient: options.maxLookupsPerClient,
      maxRunningPerGroup: options.maxLookupsPerDomain,
      maxWaiting: maxLookups,
      maxWaitMs: options.limitMs,
      onLimit: (limit, { group }) => this.bounds.note(BOUNDS[limit], { domain: group, ...this.load }),
    });
  }

  /** Look-ups running and waiting now. */
  get load(): QueueLoad {
    return this.#queue.load;
  }

  /** Addresses of a name; joins the look-up under way. */
  async addresses(name: string, client?: Client): Promise<AddressAnswer> {
    const fixed = await this.#client.fixedAddresses(name);
    if (fixed !== null) return { addresses: fixed, ttlMs: 0 };
    return this.#share(this.#addresses, { name, client }, () => this.#client.addresses(name));
  }

  /** SRV records of a name; joins the look-up under way. */
  srv(name: string, client?: Client): Promise<SrvRecord[]> {
    return this.#share(this.#srv, { name, client }, () => this.#client.srv(name));
  }

  /** Ends look-ups under way; they end as failures. */
  close(): void {
    this.#client.close();
  }

  #share<T>(
    flights: Map<string, Flight<T>>,
    { name, client }: { name: string; client: Client | undefined },
    look: () => Promise<T>,
  ): Promise<T> {
    const domain = registrableDomain(name);
    const by = client ?? `domain:${domain}`;
    const running = flights.get(name);
    if (running !== undefined) {
      running.ticket.join(by);
      return running.outcome;
    }
    const ticket = this.#queue.enter({ client: by, group: domain });
    const outcome = this.#run(ticket, domain, look).finally(() => flights.delete(name));
    flights.set(name, { ticket, outcome });
    return outcome;
  }

  async #run<T>(ticket: QueueTicket, domain: string, look: () => Promise<T>): Promise<T> {
    try {
      if (!(await ticket.admitted))
        throw outboundError('dns_busy', `no place for a look-up below ${domain}: ${this.load.waiting} wait`);
      const answer = await look();
      this.options.onLookup?.('ok');
      return answer;
    } catch (error) {
      this.options.onLookup?.(outcomeOf(error));
      throw error;
    } finally {
      ticket.leave();
    }
  }
}

function outcomeOf(error: unknown): LookupOutcome {
  const reason = error instanceof ApiError ? error.reason : null;
  return reason === 'dns_timeout' || reason === 'dns_busy' ? reason : 'dns_failure';
}
