import { type Clock, SECOND_MS } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/limits/reached-bounds.js';
import type { DbTransaction, Database } from '../../../store/db.js';
import { insertRows, usageOfDomains } from '../../../store/hot-sql.js';
import { domainOf } from '../../federation/server-name.js';
import type { FetchedRecord } from '../../key-record/record-signing.js';
import type { FetchOutcome } from '../fetch-store.js';
import { remembered } from '../../../base/runtime/cache.js';

/** What may be stored of the servers below one registrable domain, and of all: records with the rows they cause. */
export interface DomainBudgetOptions {
  maxServers: number;
  maxBytes: number;
  maxTotalBytes: number;
  clock: Clock;
  logger: Logger;
  /** Told of each record that is not stored. */
  onBound?: (bound: BudgetBound) => void;
}

/** A bound that was reached. */
export type BudgetBound = 'servers' | 'bytes' | 'total';

interface Usage {
  servers: number;
  bytes: number;
}

/** What outcomes of fetches cost. */
export interface Charge {
  /** Names of servers of which neither record nor events are to be stored. */
  refused: ReadonlySet<string>;
  charged: ReadonlyMap<string, Usage>;
}

const USAGE = {
  table: 'domain_usage',
  conflict: `ON CONFLICT (domain) DO UPDATE SET servers = domain_usage.servers + excluded.servers,
    bytes = domain_usage.bytes + excluded.bytes`,
};
/** The row of all domains together. */
const ALL = '*';
/** Rows about a record beside it: two keys, their events, times, and its entry of the log. */
const RECORD_ROWS_BYTES = 2048;
const KEYS_WITHIN = 2;
/** Rows and indexes of a further key: one of verify_key, two of key_event, each with both names. */
const KEY_BYTES = 512;
const NAMES_OF_KEY = 6;
/** One row of key_fetch with its steps and indexes. */
const FETCH_BYTES = 2048;
/** Latest fetches of each server that are kept, and charged to its domain with the first record. */
export const KEPT_FETCHES = 10;

/**
 * Budget of each registrable domain, below which names cost nothing, and of all domains. Beyond that of its domain no
 * further record is stored, of new names or of known ones, nor a change back to an earlier one; beyond that of all, none
 * of new names. What is stored stays, and goes on being renewed.
 */
export class DomainBudget {
  readonly bounds: ReachedBounds<BudgetBound>;

  constructor(private readonly options: DomainBudgetOptions) {
    const { clock, logger, onBound } = options;
    const message = 'key records are kept in memory only: a storage limit is reached';
    this.bounds = new ReachedBounds({ clock, log: (line) => logger.warn(line, message), count: onBound });
  }

  /**
   * What records that are not the newest of their servers yet, and events of refused ones, cost their domains; read
   * inside the caller's transaction, at whose end it is to be booked.
   */
  async charge(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<Charge> {
    const refused = new Set<string>();
    const charged = new Map<string, Usage>();
    const renewed = await newestRecords(tx, outcomes);
    const costs = outcomes.flatMap((outcome) => costOf(outcome, renewed) ?? []);
    const domains = outcomes.map(({ entry }) => domainOf(entry.serverName));
    const used = await usageOf(tx, [ALL, ...domains]);
    const now = (key: string): Usage => sum(used.get(key), charged.get(key));
    for (const cost of costs) {
      const { serverName, domain, servers, bytes } = cost;
      const bound = this.#reached(cost, now);
      if (bound !== null) {
        refused.add(serverName);
        this.bounds.note(bound, { domain, ...now(domain), total_bytes: now(ALL).bytes });
        continue;
      }
      const reserved = servers * KEPT_FETCHES * FETCH_BYTES;
      charged.set(domain, sum(charged.get(domain), { servers, bytes: bytes + reserved }));
      charged.set(ALL, sum(charged.get(ALL), { servers, bytes }));
    }
    return { refused, charged };
  }

  #reached({ domain, servers, bytes }: Cost, now: (key: string) => Usage): BudgetBound | null {
    const { maxServers, maxBytes, maxTotalBytes } = this.options;
    const reserved = servers * KEPT_FETCHES * FETCH_BYTES;
    if (servers > 0 && now(domain).servers >= maxServers) return 'servers';
    if (now(domain).bytes + bytes + reserved > maxBytes) return 'bytes';
    // Servers that are stored go on being renewed: invented names are not to keep others' keys out.
    return servers > 0 && now(ALL).bytes + bytes > maxTotalBytes ? 'total' : null;
  }

  /** Adds it up, in one order everywhere. The row of all comes last, so its holder waits for nobody. */
  async book(tx: DbTransaction, { charged }: Charge): Promise<void> {
    const inOrder = [...charged].toSorted(
      ([a], [b]) => Number(a === ALL) - Number(b === ALL) || (a < b ? -1 : 1),
    );
    const rows = inOrder.map(([domain, usage]) => ({ domain, ...usage }));
    await insertRows(tx, USAGE, rows);
  }
}

/** What a record would take, itself or by the events that it causes, as one does that was refused. */
interface Cost extends Usage {
  serverName: string;
  domain: string;
}

function costOf(
  { entry: { serverName }, events, fetched, isFirst = false }: FetchOutcome,
  renewed: Awaited<ReturnType<typeof newestRecords>>,
): Cost | null {
  const domain = domainOf(serverName);
  if (fetched === null) {
    const bytes = Buffer.byteLength(JSON.stringify(events));
    return events.length === 0 ? null : { serverName, domain, servers: 0, bytes };
  }
  if (!isFirst && renewed.get(serverName)?.sha256 === fetched.record.sha256) return null;
  const bytes = fetched.published.length + rowBytesOf(fetched);
  return { serverName, domain, servers: isFirst ? 1 : 0, bytes };
}

/** The newest ones of known servers, which may have come again. Another is a change, kept for ever. */
async function newestRecords(tx: DbTransaction, outcomes: readonly FetchOutcome[]) {
  const newest = new Map<string, { sha256: string; lastSeenTs: bigint }>();
  const again = outcomes.flatMap(({ fetched, isFirst }) =>
    fetched === null || isFirst === true ? [] : [fetched.record],
  );
  if (again.length === 0) return newest;
  const serverNames = again.map(({ serverName }) => serverName);
  const keys = await tx.verifyKey.findMany({
    where: { serverName: { in: serverNames } },
    select: { serverName: true, record: { select: { sha256: true, lastSeenTs: true } } },
  });
  for (const { serverName, record } of keys) {
    const known = newest.get(serverName);
    if (known === undefined || record.lastSeenTs > known.lastSeenTs) newest.set(serverName, record);
  }
  return newest;
}

function rowBytesOf({ record: { serverName, verifyKeys, oldVerifyKeys } }: FetchedRecord): number {
  const further = [...verifyKeys.keys(), ...oldVerifyKeys.keys()].slice(KEYS_WITHIN);
  return further.reduce(
    (bytes, keyId) => bytes + KEY_BYTES + NAMES_OF_KEY * (keyId.length + serverName.length),
    RECORD_ROWS_BYTES,
  );
}

const NOTHING: Usage = { servers: 0, bytes: 0 };

function sum(left: Usage = NOTHING, right: Usage = NOTHING): Usage {
  return { servers: left.servers + right.servers, bytes: left.bytes + right.bytes };
}

async function usageOf(tx: DbTransaction, keys: readonly string[]): Promise<Map<string, Usage>> {
  const rows = await usageOfDomains(tx, [...new Set(keys)]);
  return new Map(
    rows.map(({ domain, servers, bytes }) => [domain, { servers: Number(servers), bytes: Number(bytes) }]),
  );
}

export interface FailedServersOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Servers with rows of their own. */
  maxServers: number;
  /** Of them below one registrable domain. */
  maxServersPerDomain: number;
  /** Called for each failed fetch that leaves no row. */
  onCounted?: () => void;
}

/** Once all rows are taken, a newer server takes the oldest one's place so often. */
const REPLACE_MS = SECOND_MS;

/**
 * Servers that no record was ever fetched from: the latest keep rows of their own, the others are only counted. Names
 * cost nothing to invent.
 */
export class FailedServers {
  /** Those with rows, the oldest first, with their domain. */
  readonly #kept = new Map<string, string>();
  readonly #loaded = remembered(() => this.#load());
  readonly #bounds: ReachedBounds<'failed_servers'>;
  #replacedMs = -Infinity;

  constructor(private readonly options: FailedServersOptions) {
    const { clock, logger, onCounted } = options;
    this.#bounds = new ReachedBounds({
      clock,
      log: (line) => logger.warn(line, 'limit of failed servers reached: further failures are only counted'),
      count: onCounted,
    });
  }

  /** Whether a server that no record was fetched from may have rows; on a shared database others write them, too. */
  async mayBeStored(serverName: string): Promise<boolean> {
    if (this.options.database.isShared) return true;
    await this.#loaded();
    return this.#kept.has(serverName);
  }

  /** The outcome as it is to be stored; `null`: it has been counted instead. Rejects when the store is away. */
  async admit(outcome: FetchOutcome): Promise<FetchOutcome | null> {
    const { entry, health } = outcome;
    const { serverName } = entry;
    if (entry.outcome === 'ok') this.#kept.delete(serverName);
    if (entry.outcome === 'ok' || health.lastOkTs !== null || entry.cause === 'operator') return outcome;
    // Nobody need have a domain to invent names that do not exist.
    if (entry.reason === 'dns_no_address') {
      this.options.onCounted?.();
      return null;
    }
    await this.#loaded();
    if (this.#kept.has(serverName))
      return health.failCount <= KEPT_FETCHES ? outcome : { ...outcome, events: [] };
    const domain = domainOf(serverName);
    const { maxServers, maxServersPerDomain } = this.options;
    const ofDomain = Array.from(this.#kept).filter(([, other]) => other === domain);
    const isDomainFull = ofDomain.length >= maxServersPerDomain;
    if (!isDomainFull && this.#kept.size < maxServers) {
      this.#kept.set(serverName, domain);
      return outcome;
    }
    const evicted = (isDomainFull ? ofDomain : [...this.#kept])[0]?.[0];
    const nowMs = performance.now();
    if (evicted === undefined || nowMs - this.#replacedMs < REPLACE_MS) {
      this.#bounds.note('failed_servers', { domain, server_name: serverName });
      return null;
    }
    this.#replacedMs = nowMs;
    this.#kept.delete(evicted);
    this.#kept.set(serverName, domain);
    // Events stay for ever, so that they must not come with every name that takes another's place.
    return { ...outcome, events: [], evicted };
  }

  async #load(): Promise<void> {
    const rows = await this.options.database.client.remoteServer.findMany({
      where: { lastOkTs: null },
      orderBy: { lastFetchTs: 'desc' },
      take: this.options.maxServers,
      select: { serverName: true },
    });
    for (const { serverName } of rows.toReversed()) this.#kept.set(serverName, domainOf(serverName));
  }
}
