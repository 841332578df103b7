import { lookup, type Resolver as CaresResolver } from 'node:dns/promises';

import { SECOND_MS } from '../../base/clock.js';
import { errorCode } from '../../base/errors/error-code.js';
import type { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { NameServers, isSilence } from './name-servers.js';
import type { ResolvedAddress, SrvRecord } from './resolver.js';
import { MAX_NAME_LENGTH, type ResolvConf, type SystemFiles } from './system-files.js';

/** `getaddrinfo` tells no lifetime. */
const SYSTEM_TTL_MS = 30 * SECOND_MS;
/** A connection may wait so long for its turn: it goes to the addresses that were judged. */
const MIN_TTL_MS = 30 * SECOND_MS;
/** Of one name and kind. Enough for any honest name; a message holds thousands, and each costs a judgement. */
const MAX_RECORDS = 64;
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Addresses of `localhost` and all names below it (RFC 6761 §6.3). */
const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const LOCALHOST = /^(?:.+\.)?localhost$/;

/** Addresses with the time they may be kept, at least 30 seconds; none when the name does not exist. */
export interface AddressAnswer {
  addresses: readonly ResolvedAddress[];
  ttlMs: number;
}

/** Settings of the client. */
export interface DnsClientOptions {
  /** `address`, `address:port` or `[address]:port`; empty: those of the system. */
  servers: readonly string[];
  /** How addresses are looked up when the servers are those of the system. */
  resolver: 'c-ares' | 'getaddrinfo';
  files: SystemFiles;
  /** Limit of one whole look-up. */
  limitMs: number;
}

/** Uncached DNS questions, to given servers or to those of the system. Names are in lower case, without a final dot. */
export class DnsClient {
  readonly #servers = new NameServers();

  constructor(private readonly options: DnsClientOptions) {}

  /** What is known of a name without asking: from the hosts file of the system, or because it is `localhost`. */
  async fixedAddresses(name: string): Promise<readonly ResolvedAddress[] | null> {
    if (this.#usesGetaddrinfo) return null;
    const isSystem = this.options.servers.length === 0;
    const fixed = isSystem ? (await this.options.files.hosts()).get(name) : undefined;
    return fixed ?? (LOCALHOST.test(name) ? LOOPBACK : null);
  }

  /**
   * A and AAAA of other names; one family failing is forgiven when the other has addresses. A name with a dot is asked
   * for as it is; only when it does not exist, and for single labels, search domains complete it.
   */
  async addresses(name: string): Promise<AddressAnswer> {
    if (this.#usesGetaddrinfo) return systemAddresses(name);
    const conf = await this.#conf();
    const endMs = performance.now() + this.options.limitMs;
    const completed = conf.search.map((domain) => `${name}.${domain}`);
    const asked = (name.includes('.') ? [name, ...completed] : [...completed, name]).filter(
      ({ length }) => length <= MAX_NAME_LENGTH,
    );
    let failure: unknown = null;
    for (const [at, candidate] of asked.entries()) {
      const isFinal = at === 0 && candidate === name;
      const leftMs = (endMs - performance.now()) / (isFinal ? 1 : asked.length - at);
      try {
        return await this.#servers.ask(conf.servers, leftMs, (one) => bothFamilies(one, candidate));
      } catch (error) {
        if (ABSENT.has(errorCode(error))) continue;
        failure = dnsError(candidate, error);
        if (isFinal) break;
      }
    }
    if (failure !== null) throw failure;
    return { addresses: [], ttlMs: 0 };
  }

  /** SRV records, those of the first priorities where there are very many; empty when there are none. */
  async srv(name: string): Promise<SrvRecord[]> {
    const { servers } = await this.#conf();
    try {
      const records = await this.#servers.ask(servers, this.options.limitMs, (one) => one.resolveSrv(name));
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
    return servers.length === 0 ? files.resolvConf() : { servers, search: [] };
  }
}

/** A server of ours that is not there says no more about the name than one that is silent. */
function dnsError(name: string, error: unknown): ApiError {
  const reason = isSilence(error) ? 'dns_timeout' : 'dns_failure';
  return outboundError(reason, `${name}: ${errorCode(error)}`, error);
}

/** Families by turns: only the first few addresses are tried, and a machine may have but one family. */
async function bothFamilies(resolver: CaresResolver, name: string): Promise<AddressAnswer> {
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const four = v4.status === 'fulfilled' ? v4.value : [];
  const six = v6.status === 'fulfilled' ? v6.value : [];
  const found = Array.from({ length: MAX_RECORDS }, (_, at) => [
    ...four.slice(at, at + 1).map((record) => ({ ...record, family: 4 as const })),
    ...six.slice(at, at + 1).map((record) => ({ ...record, family: 6 as const })),
  ]).flat();
  if (found.length === 0) {
    // That a name does not exist is only known when both families say so.
    const errors = [v4, v6].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    throw errors.find((error) => !ABSENT.has(errorCode(error))) ?? errors[0];
  }
  return {
    addresses: found.map(({ address, family }) => ({ address, family })),
    ttlMs: Math.max(MIN_TTL_MS, Math.min(...found.map(({ ttl }) => ttl)) * SECOND_MS),
  };
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
