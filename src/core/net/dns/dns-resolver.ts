import { LRUCache } from 'lru-cache';

import type { Client } from '../../base/fair-queue.js';
import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { Deadline } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { entryCache } from '../../base/runtime/cache.js';
import { parseIpAddress } from '../address/ip-address.js';
import type { DnsAnswer, NameLookups, SrvRecord } from './name-lookups.js';
import type { ResolvedAddress } from './system-files.js';

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
  /** SRV records in the order received; `none` when there are none. */
  srv(name: string, client?: Client): Promise<readonly SrvRecord[] | 'none'>;
  /** Drops what is remembered about a name, because a connection to it failed. */
  forget(name: string): void;
}

/** Settings of the resolver. */
export interface DnsResolverOptions {
  clock: Clock;
  /** Fixed addresses of names, lower case; these names are never asked for in DNS. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** What look-ups are made with, shared with other resolvers. */
  lookups: NameLookups;
  /** Limit of one whole look-up, default 5 s. */
  lookupTimeoutMs?: number | undefined;
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

type Found<T> = Pick<DnsAnswer<T>, 'records' | 'isAbsent'>;

interface Kept<T> {
  records: readonly T[];
  sinceTs: number;
  lifetimeMs: number;
}

/**
 * Cached DNS. Addresses are kept for their TTL, at least 30 seconds and at most 5 minutes; SRV answers 5 minutes. Of
 * failures only time-outs are kept, for seconds: the name is not waited for again and again.
 */
export class DnsResolver implements Resolver {
  readonly #addresses = keptRecords<ResolvedAddress>(() => 0);
  readonly #srv = keptRecords<SrvRecord>(({ target }) => target.length);
  /** Since when names are not asked for again, by kind and name. */
  readonly #silentTs = entryCache<number>(MAX_CACHED_NAMES);

  constructor(private readonly options: DnsResolverOptions) {}

  async lookup(written: string, client?: Client): Promise<FoundAddresses> {
    const { hosts, lookups } = this.options;
    const name = nameOf(written);
    if (name === null) return { addresses: [] };
    const fixed = hosts.get(name);
    if (fixed !== undefined) return { addresses: fixed.map(withFamily) };
    const found = await this.#find(this.#addresses, `A ${name}`, () => lookups.addresses(name, client));
    return { addresses: found.records, isAbsent: found.isAbsent };
  }

  async srv(written: string, client?: Client): Promise<readonly SrvRecord[] | 'none'> {
    const name = nameOf(written);
    if (name === null) return 'none';
    const { lookups } = this.options;
    const { records } = await this.#find(this.#srv, `SRV ${name}`, () => lookups.srv(name, client));
    return records.length === 0 ? 'none' : records;
  }

  forget(written: string): void {
    const name = nameOf(written);
    for (const key of [`A ${name}`, `SRV ${name}`]) {
      this.#addresses.delete(key);
      this.#srv.delete(key);
      this.#silentTs.delete(key);
    }
  }

  /** What comes after the time limit is remembered all the same. */
  async #find<T>(
    cache: LRUCache<string, Kept<T>>,
    key: string,
    look: () => Promise<DnsAnswer<T>>,
  ): Promise<Found<T>> {
    const kept = cache.get(key);
    if (kept !== undefined && this.#isWithin(kept.sinceTs, kept.lifetimeMs)) return kept;
    const silentTs = this.#silentTs.get(key);
    if (silentTs !== undefined && this.#isWithin(silentTs, SILENCE_MS))
      throw outboundError('dns_timeout', `${key}: no answer a moment ago`);
    const deadline = new Deadline(this.options.lookupTimeoutMs ?? LOOKUP_TIMEOUT_MS);
    const looking = this.#look(cache, key, look);
    try {
      return await deadline.race(looking, 'dns_timeout', `${key}: no answer in time`);
    } finally {
      deadline.close();
    }
  }

  async #look<T>(
    cache: LRUCache<string, Kept<T>>,
    key: string,
    look: () => Promise<DnsAnswer<T>>,
  ): Promise<Found<T>> {
    const { clock } = this.options;
    try {
      const answer = await look();
      const { records, ttlMs } = answer;
      // What does not exist takes the place of nothing that does.
      if (ttlMs > 0)
        cache.set(key, { records, sinceTs: clock.now(), lifetimeMs: Math.min(ttlMs, MAX_KEPT_MS) });
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'dns_timeout') this.#silentTs.set(key, clock.now());
      throw error;
    }
  }

  /** What began in the future comes from a clock that was set back: it is over. */
  #isWithin(sinceTs: number, lifetimeMs: number): boolean {
    const ageMs = this.options.clock.now() - sinceTs;
    return ageMs >= 0 && ageMs < lifetimeMs;
  }
}

function keptRecords<T>(textBytes: (record: T) => number): LRUCache<string, Kept<T>> {
  const sizeCalculation = ({ records }: Kept<T>): number => {
    const bytes = records.reduce((sum, record) => sum + BYTES_OF_RECORD + textBytes(record), 0);
    return Math.max(1, Math.ceil(bytes / BYTES_OF_NAME));
  };
  return new LRUCache({ maxSize: MAX_CACHED_NAMES, sizeCalculation });
}

/** Lower case, without the final dot; null for what cannot be a DNS name (RFC 1035 §2.3.4) and needs no query. */
function nameOf(written: string): string | null {
  const name = written.toLowerCase().replace(/\.$/, '');
  if (name.length > MAX_NAME_LENGTH) return null;
  return name.split('.').every(({ length }) => length > 0 && length <= MAX_LABEL_LENGTH) ? name : null;
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: parseIpAddress(address)?.kind() === 'ipv6' ? 6 : 4 };
}
