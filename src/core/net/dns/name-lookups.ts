import type { Asker } from '../../base/places/asker.js';
import type { Clock } from '../../base/clock.js';
import { HOUR_MS, MINUTE_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { registrableDomain } from '../../base/registrable-domain.js';
import { DnsClient } from './dns-client.js';
import type { AddressAnswer, DnsClientOptions, NameQuestion } from './dns-client.js';
import { LOOKUP_BOUNDS, LookupPlaces } from './lookup-places.js';
import type { LookupBound, LookupLimits, LookupTicket } from './lookup-places.js';
import type { SrvRecord } from './resolver.js';

/** How a look-up ended; labels of the metric dns_lookups_total. */
export type LookupOutcome = 'ok' | 'dns_failure' | 'dns_timeout' | 'dns_busy';

/** What look-ups are made with. */
export interface NameLookupsOptions extends DnsClientOptions, LookupLimits {
  clock: Clock;
  /** `null`: nothing is told. */
  logger: Logger | null;
  onLookup?: (outcome: LookupOutcome) => void;
  onBound?: (bound: LookupBound) => void;
}

/** What was held back by one bound. */
export interface BoundReached {
  bound: LookupBound;
  /** In the last hour or since the one before, whichever is longer. */
  times: number;
  lastTs: number;
}

interface Flight<T> {
  ticket: LookupTicket;
  outcome: Promise<T>;
}

/** All look-ups of the process: one for each name at a time, bounded in number and shared out among askers. */
export class NameLookups {
  readonly #client: DnsClient;
  readonly #places: LookupPlaces;
  readonly #addresses = new Map<string, Flight<AddressAnswer>>();
  readonly #srv = new Map<string, Flight<SrvRecord[]>>();
  readonly #bounds = new Map<LookupBound, { times: number; lastTs: number; loggedTs: number }>();

  constructor(private readonly options: NameLookupsOptions) {
    this.#client = new DnsClient(options);
    this.#places = new LookupPlaces(options, (bound, domain) => this.#noteBound(bound, domain));
  }

  /** Look-ups running and waiting now. */
  get load(): { running: number; waiting: number } {
    return this.#places.load;
  }

  /** Whether search domains of the system complete names that have no final dot. */
  get completesNames(): boolean {
    return this.options.servers.length === 0;
  }

  /** Bounds that were reached in the last hour. */
  get boundsReached(): BoundReached[] {
    const sinceTs = this.options.clock.now() - HOUR_MS;
    return LOOKUP_BOUNDS.flatMap((bound) => {
      const reached = this.#bounds.get(bound);
      if (reached === undefined || reached.lastTs < sinceTs) return [];
      return [{ bound, times: reached.times, lastTs: reached.lastTs }];
    });
  }

  /** Addresses of a name; joins the look-up under way. */
  async addresses(question: NameQuestion, asker?: Asker): Promise<AddressAnswer> {
    const fixed = await this.#client.fixedAddresses(question);
    if (fixed !== null) return fixed;
    const key = question.isAbsolute ? `${question.name}.` : question.name;
    const by = { key, name: question.name, asker };
    return this.#share(this.#addresses, by, () => this.#client.addresses(question));
  }

  /** SRV records of a name; joins the look-up under way. */
  srv(name: string, asker?: Asker): Promise<SrvRecord[]> {
    return this.#share(this.#srv, { key: name, name, asker }, () => this.#client.srv(name));
  }

  /** Ends look-ups under way; they end as failures. */
  close(): void {
    this.#client.close();
  }

  #share<T>(
    flights: Map<string, Flight<T>>,
    { key, name, asker }: { key: string; name: string; asker: Asker | undefined },
    look: () => Promise<T>,
  ): Promise<T> {
    const domain = registrableDomain(name);
    const by = asker ?? { key: `domain:${domain}`, question: '' };
    const running = flights.get(key);
    if (running !== undefined) {
      running.ticket.join(by);
      return running.outcome;
    }
    const ticket = this.#places.enter(domain, by);
    const outcome = this.#run(ticket, look).finally(() => flights.delete(key));
    flights.set(key, { ticket, outcome });
    return outcome;
  }

  async #run<T>(ticket: LookupTicket, look: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => ticket.leave(), this.options.limitMs);
    try {
      await ticket.admitted;
      clearTimeout(timer);
      const answer = await look();
      this.options.onLookup?.('ok');
      return answer;
    } catch (error) {
      this.options.onLookup?.(outcomeOf(error));
      throw error;
    } finally {
      clearTimeout(timer);
      ticket.leave();
    }
  }

  #noteBound(bound: LookupBound, domain: string): void {
    const nowTs = this.options.clock.now();
    const known = this.#bounds.get(bound);
    const times = known === undefined || known.lastTs < nowTs - HOUR_MS ? 1 : known.times + 1;
    const isToLog = known === undefined || Math.abs(nowTs - known.loggedTs) >= MINUTE_MS;
    this.#bounds.set(bound, { times, lastTs: nowTs, loggedTs: isToLog ? nowTs : known.loggedTs });
    this.options.onBound?.(bound);
    if (isToLog)
      this.options.logger?.warn(
        { bound, domain, ...this.load },
        'look-ups of names wait: a bound is reached',
      );
  }
}

function outcomeOf(error: unknown): LookupOutcome {
  const reason = error instanceof ApiError ? error.reason : null;
  return reason === 'dns_timeout' || reason === 'dns_busy' ? reason : 'dns_failure';
}
