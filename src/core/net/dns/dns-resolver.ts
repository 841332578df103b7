import type { LRUCache } from 'lru-cache';

import type { Client } from '../../base/client.js';
import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { Deadline } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { entryCache, weighedCache } from '../../base/runtime/entry-cache.js';
import { parseIpAddress } from '../address/ip-address.js';
import type { NameLookups } from './name-lookups.js';
import type { ResolvedAddress, Resolver, SrvRecord } from './resolver.js';
import { MAX_NAME_LENGTH } from './system-files.js';

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

const MAX_CACHED_NAMES = 10_000;
/** Of a name in the caches; one with more, as hostile ones have 15 kB, takes the place of several. */
const BYTES_OF_NAME = 800;
const BYTES_OF_RECORD = 100;
const MAX_KEPT_MS = 5 * MINUTE_MS;
/** How long a name whose look-up timed out is not asked for again. */
const SILENCE_MS = 10 * SECOND_MS;
const MAX_LABEL_LENGTH = 63;

/** Limit of one whole look-up. */
export const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS;

interface Kept<T> {
  records: readonly T[];
  sinceTs: number;
  lifetimeMs: number;
}

/** Lower case, without the final dot; null for what cannot be a DNS name (RFC 1035 §2.3.4) and needs no query. */
function nameOf(written: string): string | null {
  const name = written.toLowerCase().replace(/\.$/, '');
  if (name.length > MAX_NAME_LENGTH) return null;
  return name.split('.').every(({ length }) => length > 0 && length <= MAX_LABEL_LENGTH) ? name : null;
}

/**
 * Cached DNS. Addresses are kept for their TTL, at least 30 seconds and at most 5 minutes; SRV answers 5 minutes, and
 * the last records serve on while the DNS servers fail. Of failures only time-outs are kept, for seconds: the name is
 * not waited for again and again.
 */
export class DnsResolver implements Resolver {
  readonly #addresses = weighedCache<Kept<ResolvedAddress>>(MAX_CACHED_NAMES, ({ records }) =>
    weightOf(records.length * BYTES_OF_RECORD),
  );
  readonly #srv = weighedCache<Kept<SrvRecord>>(MAX_CACHED_NAMES, ({ records }) =>
    weightOf(records.reduce((bytes, { target }) => bytes + BYTES_OF_RECORD + target.length, 0)),
  );
  /** Since when names are not asked for again, by kind and name. */
  readonly #silentTs = entryCache<number>(MAX_CACHED_NAMES);

  constructor(private readonly options: DnsResolverOptions) {}

  async lookup(written: string, client?: Client): Promise<{ addresses: readonly ResolvedAddress[] }> {
    const { hosts, lookups } = this.options;
    const name = nameOf(written);
    if (name === null) return { addresses: [] };
    const fixed = hosts.get(name);
    if (fixed !== undefined) return { addresses: fixed.map(withFamily) };
    const kept = this.#addresses.get(name);
    if (this.#isFresh(kept)) return { addresses: kept.records };
    return this.#bounded(`A ${name}`, async () => {
      const { addresses, ttlMs } = await lookups.addresses(name, client);
      if (addresses.length > 0) this.#keep(this.#addresses, name, { records: addresses, lifetimeMs: ttlMs });
      return { addresses };
    });
  }

  async srv(written: string, client?: Client): Promise<readonly SrvRecord[] | 'none'> {
    const name = nameOf(written);
    if (name === null) return 'none';
    const kept = this.#srv.get(name);
    const records = this.#isFresh(kept) ? kept.records : await this.#askSrv(name, kept, client);
    return records.length === 0 ? 'none' : records;
  }

  forget(written: string): void {
    const name = nameOf(written);
    if (name === null) return;
    this.#addresses.delete(name);
    this.#silentTs.delete(`A ${name}`);
    this.#silentTs.delete(`SRV ${name}`);
    const srv = this.#srv.get(name);
    if (srv !== undefined) this.#srv.set(name, { ...srv, lifetimeMs: 0 });
  }

  async #askSrv(
    name: string,
    kept: Kept<SrvRecord> | undefined,
    client: Client | undefined,
  ): Promise<readonly SrvRecord[]> {
    try {
      return await this.#bounded(`SRV ${name}`, async () => {
        const records = await this.options.lookups.srv(name, client);
        this.#keep(this.#srv, name, { records, lifetimeMs: MAX_KEPT_MS });
        return records;
      });
    } catch (error) {
      if (kept === undefined || kept.records.length === 0) throw error;
      return kept.records;
    }
  }

  #keep<T>(
    cache: LRUCache<string, Kept<T>>,
    name: string,
    { records, lifetimeMs }: Omit<Kept<T>, 'sinceTs'>,
  ): void {
    const sinceTs = this.options.clock.now();
    cache.set(name, { records, sinceTs, lifetimeMs: Math.min(lifetimeMs, MAX_KEPT_MS) });
  }

  #isFresh<T>(kept: Kept<T> | undefined): kept is Kept<T> {
    return kept !== undefined && this.#isWithin(kept.sinceTs, kept.lifetimeMs);
  }

  /** What began in the future comes from a clock that was set back: it is over. */
  #isWithin(sinceTs: number, lifetimeMs: number): boolean {
    const ageMs = this.options.clock.now() - sinceTs;
    return ageMs >= 0 && ageMs < lifetimeMs;
  }

  /** What comes after the time limit is remembered all the same. */
  async #bounded<T>(key: string, look: () => Promise<T>): Promise<T> {
    const silentTs = this.#silentTs.get(key);
    if (silentTs !== undefined && this.#isWithin(silentTs, SILENCE_MS))
      throw outboundError('dns_timeout', `${key}: no answer a moment ago`);
    const deadline = new Deadline(this.options.lookupTimeoutMs ?? LOOKUP_TIMEOUT_MS);
    const looking = look();
    looking.catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === 'dns_timeout')
        this.#silentTs.set(key, this.options.clock.now());
    });
    try {
      return await deadline.race(looking, 'dns_timeout', `${key}: no answer in time`);
    } finally {
      deadline.close();
    }
  }
}

function weightOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_OF_NAME));
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: parseIpAddress(address)?.kind() === 'ipv6' ? 6 : 4 };
}
