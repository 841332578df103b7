import { lookup, Resolver as CaresResolver } from 'node:dns/promises';

import { errorCode } from '../../base/errors/error-code.js';
import { SECOND_MS } from '../../base/clock.js';
import type { ApiError } from '../../base/errors/errors.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { ResolvedAddress, SrvRecord } from './resolver.js';

const QUERY_TIMEOUT_MS = 2 * SECOND_MS;
const QUERY_TRIES = 2;
/** The system's resolver tells no TTL; it caches by itself where it is set up to. */
const SYSTEM_TTL_MS = 30 * SECOND_MS;

const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Addresses with the time they may be kept. */
export interface AddressAnswer {
  addresses: readonly ResolvedAddress[];
  ttlMs: number;
}

function dnsError(name: string, error: unknown): ApiError {
  const code = errorCode(error) || 'unknown';
  return outboundError(code === 'ETIMEOUT' ? 'dns_timeout' : 'dns_failure', `${name}: ${code}`, error);
}

/** `empty` for a name that does not exist, an `ApiError` for every other failure. */
async function orEmpty<T>(name: string, query: Promise<T>, empty: T): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (ABSENT.has(errorCode(error))) return empty;
    throw dnsError(name, error);
  }
}

/** Uncached DNS questions, to given servers or, without any, to the system's own resolver. */
export class DnsClient {
  readonly #resolver = new CaresResolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  readonly #useSystem: boolean;

  /** `servers` as `address`, `address:port` or `[address]:port`; throws on anything else. */
  constructor(servers: readonly string[]) {
    this.#useSystem = servers.length === 0;
    if (!this.#useSystem) this.#resolver.setServers(servers);
  }

  /** A and AAAA; one family failing is forgiven when the other has addresses. */
  async addresses(name: string): Promise<AddressAnswer> {
    return this.#useSystem ? systemAddresses(name) : this.#queriedAddresses(name);
  }

  /** SRV records, empty when there are none. */
  async srv(name: string): Promise<SrvRecord[]> {
    const records = await orEmpty(name, this.#resolver.resolveSrv(name), []);
    return records.map(({ name: target, port, priority, weight }) => ({
      target: target === '' ? '.' : target,
      port,
      priority,
      weight,
    }));
  }

  close(): void {
    this.#resolver.cancel();
  }

  async #queriedAddresses(name: string): Promise<AddressAnswer> {
    const [v4, v6] = await Promise.allSettled([
      orEmpty(name, this.#resolver.resolve4(name, { ttl: true }), []),
      orEmpty(name, this.#resolver.resolve6(name, { ttl: true }), []),
    ]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((record) => ({ ...record, family: 4 as const })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((record) => ({ ...record, family: 6 as const })) : []),
    ];
    if (found.length === 0) {
      if (v4.status === 'rejected') throw v4.reason;
      if (v6.status === 'rejected') throw v6.reason;
    }
    const ttlSeconds = found.reduce((least, record) => Math.min(least, record.ttl), Infinity);
    return {
      addresses: found.map(({ address, family }) => ({ address, family })),
      ttlMs: ttlSeconds * SECOND_MS,
    };
  }
}

async function systemAddresses(name: string): Promise<AddressAnswer> {
  const found = await orEmpty(name, lookup(name, { all: true, verbatim: true }), []);
  const addresses = found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }) as const);
  return { addresses, ttlMs: SYSTEM_TTL_MS };
}
