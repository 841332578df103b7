import type dns from 'node:dns';
import { Resolver as CaresResolver } from 'node:dns/promises';

import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { errorCode } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { ResolvedAddress, SystemFiles } from './system-files.js';

/** One SRV record (RFC 2782); `target` is `.` when the domain says that the service does not exist. */
export type SrvRecord = Omit<dns.SrvRecord, 'name'> & { target: string };

/** Records of one name with the time they may be kept. */
export interface Answer<T> {
  records: readonly T[];
  ttlMs: number;
  /** Whether DNS says that the name does not exist. */
  isAbsent?: boolean;
  /** Whose they are, where several names are asked for. */
  name?: string;
}

/** Whom to ask. */
export interface DnsServers {
  /** `address`, `address:port` or `[address]:port`; empty: those of the system. */
  servers: readonly string[];
  files: SystemFiles;
  /** Limit of one look-up, and of the wait for it. */
  limitMs: number;
  clock: Clock;
}

/** How long each server is waited for at first, and how often all are asked; c-ares doubles the wait each time. */
const PATIENCE_MS = SECOND_MS;
const ATTEMPTS = 3;
/** Making a channel costs as much as a query; each makes two look-ups. */
const MAX_SPARE = 64;
/** A server that was silent is asked last for so long. */
const SILENT_MS = 5 * MINUTE_MS;
/** A connection may wait so long for its slot: it goes to the addresses that were judged. */
const MIN_TTL_MS = 30 * SECOND_MS;
/** Life of an SRV answer, whose TTL c-ares does not tell, and of its absence. */
const SRV_TTL_MS = 300 * SECOND_MS;
/** Of one name and kind. Enough for any honest name; a message holds thousands, and each costs a judgement. */
const MAX_RECORDS = 64;
const NO_SUCH_NAME = 'ENOTFOUND';
const ABSENT: ReadonlySet<string> = new Set([NO_SUCH_NAME, 'ENODATA', 'EBADNAME']);
/** Errors that another server may not give; after silence c-ares itself asks the next one. */
const NEXT_SERVER: ReadonlySet<string> = new Set([
  'ESERVFAIL',
  'EREFUSED',
  'ENOTIMP',
  'EFORMERR',
  'EBADRESP',
]);
const NO_ANSWER: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/** Asks DNS servers. Each look-up has a channel of c-ares for itself, so that it can be ended. */
export class DnsChannels {
  readonly #asking = new Set<CaresResolver>();
  /** Channels that have made one look-up. After three answers c-ares would wait for a quarter of a second only. */
  readonly #spare: { asking: CaresResolver; servers: string }[] = [];
  /** The first server, when it was silent lately. */
  #silent: { server: string | undefined; sinceTs: number } = { server: undefined, sinceTs: 0 };

  constructor(private readonly options: DnsServers) {}

  /** A and AAAA of a name; one family failing is forgiven when the other has addresses. */
  addresses(name: string): Promise<Answer<ResolvedAddress>> {
    return this.#ask((asking) => bothFamilies(asking, name));
  }

  /** SRV records of the first of the names that has some, those of the first priorities where there are very many. */
  async services(names: readonly string[]): Promise<Answer<SrvRecord>> {
    const answer = await this.#ask((asking) => firstOfServices(asking, names));
    const first = answer.records.toSorted((a, b) => a.priority - b.priority).slice(0, MAX_RECORDS);
    const records = first.map(({ name, ...rest }) => ({ ...rest, target: name || '.' }));
    return { ...answer, records, ttlMs: SRV_TTL_MS };
  }

  /** Ends look-ups under way; they end as failures. */
  close(): void {
    for (const asking of this.#asking) asking.cancel();
  }

  #inOrder(servers: readonly string[]): readonly string[] {
    const { server, sinceTs } = this.#silent;
    const isOver = Math.abs(this.options.clock.now() - sinceTs) >= SILENT_MS;
    return isOver || server !== servers[0] ? servers : [...servers.slice(1), ...servers.slice(0, 1)];
  }

  /** Asks the DNS servers over a c-ares channel that nobody else uses meanwhile: it can be ended. */
  async #ask<T>(ask: (asking: CaresResolver) => Promise<Answer<T>>): Promise<Answer<T>> {
    const { servers, files, limitMs } = this.options;
    const all = this.#inOrder(servers.length === 0 ? await files.nameServers() : servers);
    const startMs = performance.now();
    const spare = this.#spare.pop();
    const { asking } = spare ?? { asking: new CaresResolver({ timeout: PATIENCE_MS, tries: ATTEMPTS }) };
    let known = spare?.servers;
    let isFit = spare === undefined && this.#spare.length < MAX_SPARE;
    this.#asking.add(asking);
    const timer = setTimeout(() => asking.cancel(), limitMs);
    try {
      for (let at = 0; ; at += 1) {
        const rest = all.slice(at);
        if (known !== rest.join()) asking.setServers(rest);
        known = rest.join();
        try {
          const answer = await ask(asking);
          const isLate = at === 0 && all.length > 1 && performance.now() - startMs >= PATIENCE_MS;
          if (isLate) this.#silent = { server: all[0], sinceTs: this.options.clock.now() };
          return answer;
        } catch (error) {
          isFit &&= ABSENT.has(errorCode(error));
          if (!NEXT_SERVER.has(errorCode(error)) || at + 1 >= all.length) return absentOrThrow(error);
        }
      }
    } finally {
      clearTimeout(timer);
      this.#asking.delete(asking);
      if (isFit && known !== undefined) this.#spare.push({ asking, servers: known });
    }
  }
}

/** All are asked for at once, over one socket: most servers have neither. */
function firstOfServices(asking: CaresResolver, names: readonly string[]) {
  const answers = names.map(async (name) => ({ name, records: await asking.resolveSrv(name), ttlMs: 0 }));
  void Promise.allSettled(answers);
  const first = answers.reduce((one, next) =>
    one.catch((error: unknown) => (ABSENT.has(errorCode(error)) ? next : Promise.reject(error))),
  );
  // A channel with a question under way takes no other servers.
  return first.finally(() => asking.cancel());
}

/** No records for a name that does not exist. A DNS server that is not there says no more of it than a silent one. */
function absentOrThrow(error: unknown): Answer<never> {
  const code = errorCode(error);
  const name = error instanceof Error && 'hostname' in error ? String(error.hostname) : '';
  if (ABSENT.has(code)) return { records: [], ttlMs: 0, isAbsent: code === NO_SUCH_NAME };
  throw outboundError(NO_ANSWER.has(code) ? 'dns_timeout' : 'dns_failure', `${name}: ${code}`, error);
}

/** Families by turns: only the first few addresses are tried, and a machine may have but one family. */
async function bothFamilies(asking: CaresResolver, name: string): Promise<Answer<ResolvedAddress>> {
  const [v4, v6] = await Promise.allSettled([
    asking.resolve4(name, { ttl: true }),
    asking.resolve6(name, { ttl: true }),
  ]);
  const four = v4.status === 'fulfilled' ? v4.value : [];
  const six = v6.status === 'fulfilled' ? v6.value : [];
  const length = Math.min(MAX_RECORDS, Math.max(four.length, six.length));
  const found = Array.from({ length }, (_, at) => [
    ...four.slice(at, at + 1).map((record) => ({ ...record, family: 4 as const })),
    ...six.slice(at, at + 1).map((record) => ({ ...record, family: 6 as const })),
  ]).flat();
  if (found.length === 0) {
    // That a name does not exist is only known when both families say so.
    const errors = [v4, v6].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    const codes = errors.map(errorCode);
    throw (
      errors[codes.findIndex((code) => !ABSENT.has(code))] ?? errors[codes.indexOf('ENODATA')] ?? errors[0]
    );
  }
  return {
    records: found.map(({ address, family }) => ({ address, family })),
    ttlMs: Math.max(MIN_TTL_MS, Math.min(...found.map(({ ttl }) => ttl)) * SECOND_MS),
  };
}
