import { SECOND_MS, type Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/limits/reached-bounds.js';
import { registrableDomain } from '../../../base/registrable-domain.js';
import { storableText } from '../../../base/text/storable-text.js';
import { addressGroup } from '../../../net/address/address-client.js';
import { inTransaction, type Database, type DbTransaction } from '../../../store/db.js';
import { parseServerName } from '../../federation/server-name.js';
import type { FetchOutcome } from '../fetch-outcome.js';

/** How much is kept of servers of which nothing was ever learnt. */
export interface FailedServerBounds {
  /** Servers with rows of their own. */
  maxServers: number;
  /** Of them below one registrable domain. */
  maxServersPerDomain: number;
}

export interface FailedServersOptions extends FailedServerBounds {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Told of each failed fetch that is only counted. */
  onCounted?: () => void;
}

interface Group {
  attempts: number;
  firstTs: number;
  lastTs: number;
  lastServerName: string;
  lastMessage: string;
}

/** Rows of failed_fetch of one flush; domains beyond it are counted together. */
const MAX_GROUPS = 1000;
const OTHERS = '*';
const FLUSH_MS = 10 * SECOND_MS;
/** Once all rows are taken, a newer server takes the oldest one's place so often. */
const REPLACE_MS = SECOND_MS;
/** Attempts kept of each. */
const MAX_ATTEMPTS = 20;

/**
 * Servers of which nothing was ever learnt: the latest keep rows of their own, the others are counted by registrable
 * domain and reason. Names cost nothing to invent.
 */
export class FailedServers {
  /** Those with rows, the oldest first, with their domain. */
  readonly #kept = new Map<string, string>();
  readonly #perDomain = new Map<string, number>();
  readonly #groups = new Map<string, Map<string, Group>>();
  #loaded: Promise<void> | null = null;
  #replacedMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** Failed fetches that left no row of their own. */
  readonly bounds: ReachedBounds<'failed_servers'>;

  constructor(private readonly options: FailedServersOptions) {
    const { clock, logger, onCounted } = options;
    this.bounds = new ReachedBounds({
      clock,
      log: (line) => logger.info(line, 'failed key fetches are only counted: a bound is reached'),
      count: onCounted,
    });
  }

  /** The outcome as it is to be stored; `null`: it has been counted instead. Rejects when the store is away. */
  async admit(outcome: FetchOutcome): Promise<FetchOutcome | null> {
    const { entry, health } = outcome;
    if (entry.outcome === 'ok') this.#drop(entry.serverName);
    if (entry.outcome === 'ok' || health.lastOkTs !== null || entry.cause === 'operator') return outcome;
    await (this.#loaded ??= this.#load());
    const domain = domainOf(entry.serverName);
    if (this.#kept.has(entry.serverName))
      return health.failCount <= MAX_ATTEMPTS ? outcome : { ...outcome, events: [], isTrimmed: true };
    const evicted = this.#evictFor(domain);
    if (evicted === null) {
      this.#count(domain, outcome);
      return null;
    }
    this.#keep(entry.serverName, domain);
    // Events stay for ever, so that they must not come with every name that takes another's place.
    return evicted.length === 0 ? outcome : { ...outcome, events: [], evicted };
  }

  /** Stores what was counted. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = Array.from(this.#groups, ([domain, reasons]) =>
      Array.from(reasons, ([reason, group]) => ({
        domain,
        reason,
        attempts: BigInt(group.attempts),
        firstTs: BigInt(group.firstTs),
        lastTs: BigInt(group.lastTs),
        lastServerName: group.lastServerName,
        lastMessage: storableText(group.lastMessage),
      })),
    ).flat();
    this.#groups.clear();
    if (rows.length === 0) return;
    this.#log(rows);
    try {
      await inTransaction(this.options.database, async ({ tx }) => {
        for (const row of rows) await addGroup(tx, row);
        await boundGroups(tx);
      });
    } catch (error) {
      this.options.logger.warn({ err: error, rows: rows.length }, 'failed key fetches could not be counted');
    }
  }

  /** One line for all of them: lines of their own would fill a disk as rows would. */
  #log(rows: readonly { domain: string; attempts: bigint; lastServerName: string }[]): void {
    const attempts = Number(rows.reduce((sum, row) => sum + row.attempts, 0n));
    const last = rows.at(-1)?.lastServerName;
    this.options.logger.warn({ attempts, server_name: last }, 'failed key fetches were counted');
  }

  async #load(): Promise<void> {
    const rows = await this.options.database.client.remoteServer
      .findMany({
        where: { lastOkTs: null },
        orderBy: { lastFetchTs: 'desc' },
        take: this.options.maxServers,
        select: { serverName: true },
      })
      .catch((error: unknown) => {
        this.#loaded = null;
        throw error;
      });
    for (const { serverName } of rows.toReversed()) this.#keep(serverName, domainOf(serverName));
  }

  /** Whose rows go; `null`: there is no room now. */
  #evictFor(domain: string): string[] | null {
    const { maxServers, maxServersPerDomain } = this.options;
    const isDomainFull = (this.#perDomain.get(domain) ?? 0) >= maxServersPerDomain;
    if (!isDomainFull && this.#kept.size < maxServers) return [];
    const nowMs = performance.now();
    if (nowMs - this.#replacedMs < REPLACE_MS) return null;
    this.#replacedMs = nowMs;
    const oldest = Array.from(this.#kept).find(([, other]) => !isDomainFull || other === domain);
    if (oldest === undefined) return null;
    this.#drop(oldest[0]);
    return [oldest[0]];
  }

  #keep(serverName: string, domain: string): void {
    this.#kept.set(serverName, domain);
    this.#perDomain.set(domain, (this.#perDomain.get(domain) ?? 0) + 1);
  }

  #drop(serverName: string): void {
    const domain = this.#kept.get(serverName);
    if (domain === undefined) return;
    this.#kept.delete(serverName);
    const left = (this.#perDomain.get(domain) ?? 1) - 1;
    if (left === 0) this.#perDomain.delete(domain);
    else this.#perDomain.set(domain, left);
  }

  #count(domain: string, { entry }: FetchOutcome): void {
    const { serverName, startedTs } = entry;
    const reason = entry.reason ?? 'internal';
    const key = this.#groups.has(domain) || this.#groups.size < MAX_GROUPS ? domain : OTHERS;
    const reasons = this.#groups.get(key) ?? new Map<string, Group>();
    this.#groups.set(key, reasons);
    const before = reasons.get(reason);
    reasons.set(reason, {
      attempts: (before?.attempts ?? 0) + 1,
      firstTs: before?.firstTs ?? startedTs,
      lastTs: startedTs,
      lastServerName: serverName,
      lastMessage: entry.message ?? '',
    });
    this.bounds.note('failed_servers', { domain });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }
}

/**
 * Makes room for fetches, inside the caller's transaction: rows of evicted servers, and old attempts, go. Of a server
 * as many of the latest are kept, with the one to come, as `keptFetches` says.
 */
export async function makeRoom(
  { keyFetch, remoteServer }: DbTransaction,
  outcomes: readonly FetchOutcome[],
  keptFetches: (serverName: string) => number,
): Promise<void> {
  const evicted = { serverName: { in: outcomes.flatMap((outcome) => outcome.evicted ?? []) } };
  if (evicted.serverName.in.length > 0) {
    await keyFetch.deleteMany({ where: evicted });
    await remoteServer.deleteMany({ where: { ...evicted, lastOkTs: null } });
  }
  for (const { entry, isFirst, isTrimmed } of outcomes) {
    if (isFirst === true) continue;
    const { serverName } = entry;
    const most = Math.min(keptFetches(serverName), isTrimmed === true ? MAX_ATTEMPTS : Infinity);
    const surplus = await keyFetch.findFirst({
      where: { serverName },
      orderBy: { id: 'desc' },
      skip: most - 1,
      select: { id: true },
    });
    if (surplus !== null) await keyFetch.deleteMany({ where: { serverName, id: { lte: surplus.id } } });
  }
}

type GroupRow = Awaited<ReturnType<DbTransaction['failedFetch']['findFirstOrThrow']>>;

async function addGroup({ failedFetch }: DbTransaction, row: GroupRow): Promise<void> {
  const { domain, reason, attempts, lastTs, lastServerName, lastMessage } = row;
  await failedFetch.upsert({
    where: { domain_reason: { domain, reason } },
    create: row,
    update: { attempts: { increment: attempts }, lastTs, lastServerName, lastMessage },
  });
}

/** Beyond the limit the groups that were quiet for the longest time go. */
async function boundGroups({ failedFetch }: DbTransaction): Promise<void> {
  const surplus = await failedFetch.findFirst({ orderBy: { lastTs: 'desc' }, skip: 2 * MAX_GROUPS });
  if (surplus !== null) await failedFetch.deleteMany({ where: { lastTs: { lte: surplus.lastTs } } });
}

/** What a server's storage counts for: the registrable domain, an address (IPv6: its /64) for itself. */
export function domainOf(serverName: string): string {
  const name = parseServerName(serverName);
  if (name === null) return serverName.toLowerCase();
  return name.hostKind === 'dns' ? registrableDomain(name.host.toLowerCase()) : addressGroup(name.host);
}
