import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.js';
import { Deadline } from '../../base/deadline.js';
import { DnsClient } from './dns-client.js';
import { parseIpAddress } from '../address/ip-address.js';
import type { ResolvedAddress, Resolver, SrvRecord } from './resolver.js';

/** Settings of the resolver. */
export interface DnsResolverOptions {
  clock: Clock;
  /** DNS servers (`address[:port]`); empty means the system's own look-up, hosts file included. */
  servers: readonly string[];
  /** Fixed addresses of names, lower case; these names are never asked for in DNS. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** Limit of one whole look-up, default 5 s. */
  lookupTimeoutMs?: number;
}

const MAX_CACHED_NAMES = 10_000;
/** Longer answers are used but not kept: the cache is bounded in names only. */
const MAX_KEPT_RECORDS = 64;
const MAX_KEPT_MS = 5 * MINUTE_MS;
const DEFAULT_TIMEOUT_MS = 5 * SECOND_MS;
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

interface CachedAddresses {
  addresses: readonly ResolvedAddress[];
  expiresTs: number;
}

interface CachedSrv {
  records: readonly SrvRecord[];
  expiresTs: number;
}

/** Lower case, without the final dot; null for what cannot be a DNS name (RFC 1035 §2.3.4) and needs no query. */
function normalizeName(name: string): string | null {
  const plain = name.endsWith('.') ? name.slice(0, -1) : name;
  if (plain.length === 0 || plain.length > MAX_NAME_LENGTH) return null;
  const labels = plain.split('.');
  return labels.every((label) => label.length > 0 && label.length <= MAX_LABEL_LENGTH)
    ? plain.toLowerCase()
    : null;
}

/**
 * Cached DNS. Addresses are kept for their TTL, at most 5 minutes; SRV answers 5 minutes, and the last records
 * serve on while the DNS servers fail. Failures are never kept.
 */
export class DnsResolver implements Resolver {
  readonly #options: DnsResolverOptions;
  readonly #client: DnsClient;
  readonly #addresses = new LRUCache<string, CachedAddresses>({ max: MAX_CACHED_NAMES });
  readonly #srv = new LRUCache<string, CachedSrv>({ max: MAX_CACHED_NAMES });
  readonly #lookupTimeoutMs: number;

  constructor(options: DnsResolverOptions) {
    this.#options = options;
    this.#client = new DnsClient(options.servers);
    this.#lookupTimeoutMs = options.lookupTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  async lookup(name: string): Promise<{ addresses: readonly ResolvedAddress[] }> {
    const key = normalizeName(name);
    if (key === null) return { addresses: [] };
    const fixed = this.#options.hosts.get(key);
    if (fixed !== undefined) return { addresses: fixed.map(withFamily) };
    const cached = this.#addresses.get(key);
    const nowTs = this.#options.clock.now();
    if (cached !== undefined && nowTs < cached.expiresTs) return cached;
    const { addresses, ttlMs } = await this.#bounded(name, this.#client.addresses(key));
    if (addresses.length > 0 && addresses.length <= MAX_KEPT_RECORDS) {
      this.#addresses.set(key, { addresses, expiresTs: nowTs + Math.min(ttlMs, MAX_KEPT_MS) });
    }
    return { addresses };
  }

  async srv(name: string): Promise<readonly SrvRecord[] | 'none'> {
    const key = normalizeName(name);
    if (key === null) return 'none';
    const cached = this.#srv.get(key);
    const nowTs = this.#options.clock.now();
    const records =
      cached !== undefined && nowTs < cached.expiresTs
        ? cached.records
        : await this.#askSrv(key, cached, nowTs);
    return records.length === 0 ? 'none' : records;
  }

  forget(name: string): void {
    const key = normalizeName(name);
    if (key === null) return;
    this.#addresses.delete(key);
    const srv = this.#srv.get(key);
    if (srv !== undefined) this.#srv.set(key, { ...srv, expiresTs: 0 });
  }

  /** Cancels questions under way; they end as DNS failures. */
  close(): void {
    this.#client.close();
  }

  async #askSrv(key: string, cached: CachedSrv | undefined, nowTs: number): Promise<readonly SrvRecord[]> {
    try {
      const records = await this.#bounded(key, this.#client.srv(key));
      if (records.length <= MAX_KEPT_RECORDS) this.#srv.set(key, { records, expiresTs: nowTs + MAX_KEPT_MS });
      return records;
    } catch (error) {
      if (cached === undefined || cached.records.length === 0) throw error;
      return cached.records;
    }
  }

  async #bounded<T>(name: string, query: Promise<T>): Promise<T> {
    const deadline = new Deadline(this.#lookupTimeoutMs);
    try {
      return await deadline.race(query, 'dns_timeout', `${name}: no answer in time`);
    } finally {
      deadline.close();
    }
  }
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: parseIpAddress(address)?.kind() === 'ipv6' ? 6 : 4 };
}
