import type { RecordWithTtl } from 'node:dns';
import { lookup, type Resolver as CaresResolver } from 'node:dns/promises';

import { errorCode } from '../../base/errors/error-code.js';
import { SECOND_MS, type Clock } from '../../base/clock.js';
import type { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { NameSearch } from './name-search.js';
import { NameServers, isSilence } from './name-servers.js';
import type { ResolvConf } from './resolv-conf.js';
import type { ResolvedAddress, SrvRecord } from './resolver.js';
import type { SystemFiles } from './system-files.js';

/** Neither `getaddrinfo` nor the hosts file tells a TTL; both are kept shortly, as they are read anew cheaply. */
const SYSTEM_TTL_MS = 30 * SECOND_MS;
const HOSTS_TTL_MS = SECOND_MS;

/** Of one name and kind. Enough for any honest name; a message holds thousands, and each costs a judgement. */
const MAX_RECORDS = 64;

const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** With servers of the configuration: no search, and each is asked twice. */
const PLAIN: Omit<ResolvConf, 'servers'> = {
  search: [],
  ndots: 1,
  timeoutMs: null,
  attempts: 2,
  rotate: false,
};

/** `loopback` addresses of `localhost` and all names below it (RFC 6761 §6.3). */
const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const LOCALHOST = /^(?:.+\.)?localhost$/;

/** Addresses with the time they may be kept. */
export interface AddressAnswer {
  addresses: readonly ResolvedAddress[];
  ttlMs: number;
}

/** Settings of the client. */
export interface DnsClientOptions {
  clock: Clock;
  /** `address`, `address:port` or `[address]:port`; empty: those of the system. */
  servers: readonly string[];
  /** How addresses are looked up when the servers are those of the system. */
  resolver: 'c-ares' | 'getaddrinfo';
  files: SystemFiles;
  /** Limit of one whole look-up. */
  limitMs: number;
}

/** One name to be looked up; `isAbsolute` when no search domain may complete it. */
export interface NameQuestion {
  name: string;
  isAbsolute: boolean;
}

function dnsError(name: string, error: unknown): ApiError {
  // A server of ours that is not there says no more about the name than one that is silent.
  return outboundError(
    isSilence(error) ? 'dns_timeout' : 'dns_failure',
    `${name}: ${errorCode(error)}`,
    error,
  );
}

/** Uncached DNS questions, to given servers or to those of the system. */
export class DnsClient {
  readonly #servers = new NameServers();
  readonly #search: NameSearch;

  /** Throws on a server that is no address. */
  constructor(private readonly options: DnsClientOptions) {
    NameServers.check(options.servers);
    this.#search = new NameSearch(options.clock);
  }

  /** What is known of a name without asking: from the hosts file of the system, or because it is `localhost`. */
  async fixedAddresses({ name }: NameQuestion): Promise<AddressAnswer | null> {
    if (this.#usesGetaddrinfo) return null;
    const isSystem = this.options.servers.length === 0;
    const fixed = isSystem ? (await this.options.files.hosts()).get(name) : undefined;
    if (fixed !== undefined) return { addresses: fixed, ttlMs: HOSTS_TTL_MS };
    return LOCALHOST.test(name) ? { addresses: LOOPBACK, ttlMs: HOSTS_TTL_MS } : null;
  }

  /** A and AAAA of other names; one family failing is forgiven when the other has addresses. */
  async addresses({ name, isAbsolute }: NameQuestion): Promise<AddressAnswer> {
    const { limitMs } = this.options;
    if (this.#usesGetaddrinfo) return systemAddresses(isAbsolute ? `${name}.` : name);
    const conf = await this.#conf();
    const ask = (asked: string, shareMs: number) => this.#found(asked, shareMs, conf);
    const found = isAbsolute ? ask(name, limitMs) : this.#search.find(name, conf, { limitMs, ask });
    return (await found) ?? { addresses: [], ttlMs: 0 };
  }

  /** SRV records, those of the first priorities where there are very many; empty when there are none. */
  async srv(name: string): Promise<SrvRecord[]> {
    const conf = await this.#conf();
    try {
      const records = await this.#servers.ask(conf, this.options.limitMs, (one) => one.resolveSrv(name));
      const first = records.sort((a, b) => a.priority - b.priority).slice(0, MAX_RECORDS);
      return first.map(({ name: target, port, priority, weight }) => ({
        target: target === '' ? '.' : target,
        port,
        priority,
        weight,
      }));
    } catch (error) {
      if (ABSENT.has(errorCode(error))) return [];
      throw dnsError(name, error);
    }
  }

  close(): void {
    this.#servers.close();
  }

  get #usesGetaddrinfo(): boolean {
    return this.options.servers.length === 0 && this.options.resolver === 'getaddrinfo';
  }

  async #conf(): Promise<ResolvConf> {
    const { servers, files } = this.options;
    return servers.length === 0 ? files.resolvConf() : { ...PLAIN, servers };
  }

  /** `null` when the name does not exist. */
  async #found(name: string, limitMs: number, conf: ResolvConf): Promise<AddressAnswer | null> {
    try {
      return await this.#servers.ask(conf, limitMs, (one) => bothFamilies(one, name));
    } catch (error) {
      if (ABSENT.has(errorCode(error))) return null;
      throw dnsError(name, error);
    }
  }
}

async function bothFamilies(resolver: CaresResolver, name: string): Promise<AddressAnswer> {
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const four = v4.status === 'fulfilled' ? firstOf(v4.value, 4) : [];
  const six = v6.status === 'fulfilled' ? firstOf(v6.value, 6) : [];
  const found = alternating<ResolvedAddress & { ttl: number }>(four, six);
  if (found.length === 0) throw worseOf(v4, v6);
  const ttlSeconds = found.reduce((least, record) => Math.min(least, record.ttl), Infinity);
  return {
    addresses: found.map(({ address, family }) => ({ address, family })),
    ttlMs: ttlSeconds * SECOND_MS,
  };
}

function firstOf<Family extends 4 | 6>(
  records: readonly RecordWithTtl[],
  family: Family,
): (RecordWithTtl & { family: Family })[] {
  return records.slice(0, MAX_RECORDS).map((record) => ({ ...record, family }));
}

/** Only the first few are tried, and a machine may have but one family. */
function alternating<T>(left: readonly T[], right: readonly T[]): T[] {
  const longer = Math.max(left.length, right.length);
  return Array.from({ length: longer }, (_, at) => [
    ...left.slice(at, at + 1),
    ...right.slice(at, at + 1),
  ]).flat();
}

/** That a name does not exist is only known when both families say so. */
function worseOf(...outcomes: PromiseSettledResult<unknown>[]): unknown {
  const errors = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as unknown) : null,
  );
  return (
    errors.find((error) => error !== null && !ABSENT.has(errorCode(error))) ??
    errors.find((error) => error !== null)
  );
}

async function systemAddresses(name: string): Promise<AddressAnswer> {
  try {
    const found = await lookup(name, { all: true, verbatim: true });
    const addresses = found
      .slice(0, MAX_RECORDS)
      .map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }) as const);
    return { addresses, ttlMs: SYSTEM_TTL_MS };
  } catch (error) {
    if (ABSENT.has(errorCode(error))) return { addresses: [], ttlMs: 0 };
    throw dnsError(name, error);
  }
}
