import type { Client } from '../../base/client.js';
import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { Deadline } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { parseIpAddress } from '../address/ip-address.js';
import type { NameQuestion } from './dns-client.js';
import { NameLookups } from './name-lookups.js';
import { MAX_NAME_LENGTH } from './resolv-conf.js';
import type { ResolvedAddress, Resolver, SrvRecord } from './resolver.js';
import { SYSTEM_FILES, watchSystemFiles } from './system-files.js';
import { entryCache, weighedCache } from '../../base/runtime/entry-cache.js';

/** Settings of the resolver. */
export interface DnsResolverOptions {
  clock: Clock;
  /** Fixed addresses of names, lower case; these names are never asked for in DNS. */
  hosts: ReadonlyMap<string, readonly string[]>;
  /** Limit of one whole look-up, default 5 s. */
  lookupTimeoutMs?: number | undefined;
  /** How long a name whose look-up timed out is not asked for again, default 10 s. */
  timeoutLifetimeMs?: number;
  /** What look-ups are made with, shared with other resolvers. Absent: its own. */
  lookups?: NameLookups;
  /** For look-ups of its own: DNS servers (`address[:port]`); empty means those of the system. */
  servers?: readonly string[];
}

const MAX_CACHED_NAMES = 10_000;
/** Of a name in the caches; one with more, as hostile ones have 15 kB, takes the place of several. */
const BYTES_OF_NAME = 800;
const BYTES_OF_RECORD = 100;
const MAX_KEPT_MS = 5 * MINUTE_MS;
/** A connection may wait so long for its turn. */
const AHEAD_MS = 30 * SECOND_MS;
const MAX_LABEL_LENGTH = 63;

/** Limit of one whole look-up. */
export const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS;
const TIMEOUT_LIFETIME_MS = 10 * SECOND_MS;
const OWN_LIMITS = { maxLookups: 4096, maxLookupsPerClient: 1024, maxLookupsPerDomain: 1024 };

interface CachedAddresses {
  addresses: readonly ResolvedAddress[];
  expiresTs: number;
}

interface CachedSrv {
  records: readonly SrvRecord[];
  expiresTs: number;
}

/** Lower case, without the final dot; null for what cannot be a DNS name (RFC 1035 §2.3.4) and needs no query. */
function normalizeName(written: string): NameQuestion | null {
  const isAbsolute = written.endsWith('.');
  const plain = isAbsolute ? written.slice(0, -1) : written;
  if (plain.length === 0 || plain.length > MAX_NAME_LENGTH) return null;
  const labels = plain.split('.');
  const isName = labels.every((label) => label.length > 0 && label.length <= MAX_LABEL_LENGTH);
  return isName ? { name: plain.toLowerCase(), isAbsolute } : null;
}

/**
 * Cached DNS. Addresses are kept for their TTL, at most 5 minutes; SRV answers 5 minutes, and the last records
 * serve on while the DNS servers fail. Of failures only time-outs are kept, for seconds: the name is not waited for
 * again and again.
 */
export class DnsResolver implements Resolver {
  readonly #options: DnsResolverOptions;
  readonly #lookups: NameLookups;
  readonly #addresses = weighedCache<CachedAddresses>(MAX_CACHED_NAMES, weightOfAddresses);
  /** Each for one connection. */
  readonly #ahead = weighedCache<CachedAddresses>(MAX_CACHED_NAMES, weightOfAddresses);
  readonly #srv = weighedCache<CachedSrv>(MAX_CACHED_NAMES, weightOfSrv);
  /** Until when names are not asked for again, by kind and name. */
  readonly #silent = entryCache<number>(MAX_CACHED_NAMES);
  readonly #lookupTimeoutMs: number;
  readonly #timeoutLifetimeMs: number;

  constructor(options: DnsResolverOptions) {
    this.#options = options;
    this.#lookupTimeoutMs = options.lookupTimeoutMs ?? LOOKUP_TIMEOUT_MS;
    this.#timeoutLifetimeMs = options.timeoutLifetimeMs ?? TIMEOUT_LIFETIME_MS;
    this.#lookups = options.lookups ?? ownLookups(options, this.#lookupTimeoutMs);
  }

  async lookup(name: string, client?: Client): Promise<{ addresses: readonly ResolvedAddress[] }> {
    const question = this.#questionOf(name);
    if (question === null) return { addresses: [] };
    const fixed = this.#options.hosts.get(question.name);
    if (fixed !== undefined) return { addresses: fixed.map(withFamily) };
    const key = keyOf(question);
    const cached = this.#addresses.get(key);
    const ahead = this.#ahead.get(key);
    this.#ahead.delete(key);
    const nowTs = this.#options.clock.now();
    if (cached !== undefined && serves(cached, nowTs, MAX_KEPT_MS)) return cached;
    if (ahead !== undefined && serves(ahead, nowTs, AHEAD_MS)) return ahead;
    return this.#bounded(`A ${key}`, async () => {
      const { addresses, ttlMs } = await this.#lookups.addresses(question, client);
      if (addresses.length > 0) {
        this.#addresses.set(key, { addresses, expiresTs: nowTs + Math.min(ttlMs, MAX_KEPT_MS) });
      }
      return { addresses };
    });
  }

  async lookAhead(name: string, client?: Client): Promise<{ addresses: readonly ResolvedAddress[] }> {
    const question = this.#questionOf(name);
    if (question !== null) this.#ahead.delete(keyOf(question));
    const { addresses } = await this.lookup(name, client);
    if (question !== null && addresses.length > 0) {
      const expiresTs = this.#options.clock.now() + AHEAD_MS;
      this.#ahead.set(keyOf(question), { addresses, expiresTs });
    }
    return { addresses };
  }

  async srv(name: string, client?: Client): Promise<readonly SrvRecord[] | 'none'> {
    const question = normalizeName(name);
    if (question === null) return 'none';
    const key = question.name;
    const cached = this.#srv.get(key);
    const records =
      cached !== undefined && serves(cached, this.#options.clock.now(), MAX_KEPT_MS)
        ? cached.records
        : await this.#askSrv(key, cached, client);
    return records.length === 0 ? 'none' : records;
  }

  forget(name: string): void {
    const question = this.#questionOf(name);
    if (question === null) return;
    this.#addresses.delete(keyOf(question));
    this.#ahead.delete(keyOf(question));
    this.#silent.delete(`A ${keyOf(question)}`);
    this.#silent.delete(`SRV ${question.name}`);
    const srv = this.#srv.get(question.name);
    if (srv !== undefined) this.#srv.set(question.name, { ...srv, expiresTs: 0 });
  }

  /** Ends look-ups of its own that are under way; they end as DNS failures. */
  close(): void {
    if (this.#options.lookups === undefined) this.#lookups.close();
  }

  /** Where no name is completed, a final dot makes no difference. */
  #questionOf(written: string): NameQuestion | null {
    const question = normalizeName(written);
    return question === null || this.#lookups.completesNames
      ? question
      : { name: question.name, isAbsolute: false };
  }

  async #askSrv(
    key: string,
    cached: CachedSrv | undefined,
    client: Client | undefined,
  ): Promise<readonly SrvRecord[]> {
    const nowTs = this.#options.clock.now();
    try {
      return await this.#bounded(`SRV ${key}`, async () => {
        const records = await this.#lookups.srv(key, client);
        this.#srv.set(key, { records, expiresTs: nowTs + MAX_KEPT_MS });
        return records;
      });
    } catch (error) {
      if (cached === undefined || cached.records.length === 0) throw error;
      return cached.records;
    }
  }

  /** What comes after the time limit is remembered all the same. */
  async #bounded<T>(key: string, look: () => Promise<T>): Promise<T> {
    this.#refuseSilent(key);
    const deadline = new Deadline(this.#lookupTimeoutMs);
    const looking = look();
    looking.catch((error: unknown) => this.#noteSilence(key, error));
    try {
      return await deadline.race(looking, 'dns_timeout', `${key}: no answer in time`);
    } finally {
      deadline.close();
    }
  }

  #refuseSilent(key: string): void {
    const untilTs = this.#silent.get(key);
    if (untilTs === undefined) return;
    const leftMs = untilTs - this.#options.clock.now();
    // A clock set back must not keep it longer.
    if (leftMs > 0 && leftMs <= this.#timeoutLifetimeMs)
      throw outboundError('dns_timeout', `${key}: no answer a moment ago`);
    this.#silent.delete(key);
  }

  #noteSilence(key: string, error: unknown): void {
    if (!(error instanceof ApiError) || error.reason !== 'dns_timeout') return;
    this.#silent.set(key, this.#options.clock.now() + this.#timeoutLifetimeMs);
  }
}

/** A life longer than an entry can have comes from a clock that was set back: it is over. */
const serves = ({ expiresTs }: { expiresTs: number }, nowTs: number, longestMs: number): boolean =>
  nowTs < expiresTs && expiresTs - nowTs <= longestMs;

const weightOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_OF_NAME));

const weightOfAddresses = ({ addresses }: CachedAddresses): number =>
  weightOf(addresses.length * BYTES_OF_RECORD);

const weightOfSrv = ({ records }: CachedSrv): number =>
  weightOf(records.reduce((bytes, { target }) => bytes + BYTES_OF_RECORD + target.length, 0));

const keyOf = ({ name, isAbsolute }: NameQuestion): string => (isAbsolute ? `${name}.` : name);

function ownLookups({ clock, servers = [] }: DnsResolverOptions, limitMs: number): NameLookups {
  const files = watchSystemFiles(SYSTEM_FILES, clock, null);
  return new NameLookups({ ...OWN_LIMITS, servers, files, clock, limitMs, resolver: 'c-ares', logger: null });
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: parseIpAddress(address)?.kind() === 'ipv6' ? 6 : 4 };
}
