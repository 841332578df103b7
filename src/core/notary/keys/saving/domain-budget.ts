import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/limits/reached-bounds.js';
import type { DbTransaction } from '../../../store/db.js';
import { insertRows, usageOfDomains } from '../../../store/hot-sql.js';
import { domainOf, hostKey } from '../../federation/server-name.js';
import type { FetchOutcome, FetchedRecord } from './record-rows.js';

/** What may be stored of the servers below one registrable domain, and of all: records with the rows they cause. */
export interface BudgetLimits {
  maxServers: number;
  maxBytes: number;
  maxTotalBytes: number;
  /** Of one host: first records of names that are not all lower case. */
  maxSpellings: number;
  /** Of one server. */
  maxKeptFetches: number;
}

export interface DomainBudgetOptions extends BudgetLimits {
  clock: Clock;
  logger: Logger;
  /** Told of each record that is not stored. */
  onBound?: (bound: BudgetBound) => void;
}

/** A bound that was reached. */
export type BudgetBound = 'servers' | 'bytes' | 'spellings' | 'total';

interface Usage {
  servers: number;
  bytes: number;
}

/** What outcomes of fetches cost. */
export interface Charge {
  /** Names of servers of which neither record nor events are to be stored. */
  refused: ReadonlySet<string>;
  charged: ReadonlyMap<string, Usage>;
  /** How many fetches of a server are to be kept. */
  keptFetches: (serverName: string) => number;
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
/** So many fetches of each server are charged to its domain beforehand; further ones take what nobody else does. */
const RESERVED_FETCHES = 10;

/**
 * Budget of each registrable domain, below which names cost nothing, of the spellings of each host, which cost nothing
 * either, and of all domains. Beyond that of its domain no further record is stored, of new names or of known ones, nor
 * a change back to an earlier one; beyond the others, none of new names. What is stored stays, and goes on being renewed.
 */
export class DomainBudget {
  readonly bounds: ReachedBounds<BudgetBound>;

  constructor(private readonly options: DomainBudgetOptions) {
    const { clock, logger, onBound } = options;
    const message = 'key records are kept in memory only: a budget is used up';
    this.bounds = new ReachedBounds({ clock, log: (line) => logger.warn(line, message), count: onBound });
  }

  /**
   * What records that are not the newest of their servers yet, and events of refused ones, cost their domains; read
   * inside the caller's transaction, at whose end it is to be booked.
   */
  async charge(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<Charge> {
    const refused = new Set<string>();
    const charged = new Map<string, Usage>();
    const renewed = await renewedRecords(tx, outcomes);
    const costs = outcomes.flatMap((outcome) => costOf(outcome, renewed) ?? []);
    const domains = outcomes.map(({ entry }) => domainOf(entry.serverName));
    const used = await usageOf(tx, [ALL, ...domains, ...costs.flatMap(({ spellings }) => spellings ?? [])]);
    const now = (key: string): Usage => sum(used.get(key), charged.get(key));
    for (const cost of costs) {
      const { serverName, domain, spellings, servers, bytes } = cost;
      const bound = this.#reached(cost, now);
      if (bound !== null) {
        refused.add(serverName);
        this.bounds.note(bound, { domain, ...now(domain), total_bytes: now(ALL).bytes });
        continue;
      }
      const reserved = servers * RESERVED_FETCHES * FETCH_BYTES;
      charged.set(domain, sum(charged.get(domain), { servers, bytes: bytes + reserved }));
      charged.set(ALL, sum(charged.get(ALL), { servers, bytes }));
      if (spellings !== null) charged.set(spellings, sum(charged.get(spellings), { servers: 1, bytes: 0 }));
    }
    const keptFetches = (serverName: string): number => this.#keptFetches(now(domainOf(serverName)));
    return { refused, charged, keptFetches };
  }

  #reached({ domain, spellings, servers, bytes }: Cost, now: (key: string) => Usage): BudgetBound | null {
    const { maxServers, maxBytes, maxSpellings, maxTotalBytes } = this.options;
    const reserved = servers * RESERVED_FETCHES * FETCH_BYTES;
    if (spellings !== null && now(spellings).servers >= maxSpellings) return 'spellings';
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
    const rows = inOrder.map(([domain, { servers, bytes }]) => ({
      domain,
      servers: BigInt(servers),
      bytes: BigInt(bytes),
    }));
    await insertRows(tx, USAGE, rows);
  }

  /** Beside those that are charged already, the servers of a domain share what is left of its bytes. */
  #keptFetches({ servers, bytes }: Usage): number {
    const { maxBytes, maxKeptFetches } = this.options;
    const share = Math.floor(Math.max(0, maxBytes - bytes) / FETCH_BYTES / Math.max(1, servers));
    return Math.min(maxKeptFetches, RESERVED_FETCHES + share);
  }
}

/** What a record would take, itself or by the events that it causes, as one does that was refused. */
interface Cost extends Usage {
  serverName: string;
  domain: string;
  /** The row of names of one host that are not all lower case; no domain is called so. `null`: it is no such name. */
  spellings: string | null;
}

function costOf(
  { entry: { serverName }, events, fetched, isFirst = false }: FetchOutcome,
  renewed: ReadonlySet<string>,
): Cost | null {
  const domain = domainOf(serverName);
  if (fetched === null) {
    const bytes = Buffer.byteLength(JSON.stringify(events));
    return events.length === 0 ? null : { serverName, domain, spellings: null, servers: 0, bytes };
  }
  if (!isFirst && renewed.has(rowKey(serverName, fetched.record.sha256))) return null;
  const isSpelling = isFirst && serverName !== serverName.toLowerCase();
  const spellings = isSpelling ? `${ALL} ${hostKey(serverName)}` : null;
  const bytes = fetched.published.length + rowBytesOf(fetched);
  return { serverName, domain, spellings, servers: isFirst ? 1 : 0, bytes };
}

/** Those of known servers that have come again. One that takes the place of another is a change, kept for ever. */
async function renewedRecords(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<Set<string>> {
  const again = outcomes.flatMap(({ fetched, isFirst }) =>
    fetched === null || isFirst === true ? [] : [fetched.record],
  );
  if (again.length === 0) return new Set();
  const serverNames = again.map(({ serverName }) => serverName);
  const keys = await tx.verifyKey.findMany({
    where: { serverName: { in: serverNames } },
    select: { serverName: true, record: { select: { sha256: true, lastSeenTs: true } } },
  });
  const newest = new Map<string, { sha256: string; lastSeenTs: bigint }>();
  for (const { serverName, record } of keys) {
    const known = newest.get(serverName);
    if (known === undefined || record.lastSeenTs > known.lastSeenTs) newest.set(serverName, record);
  }
  return new Set(Array.from(newest, ([serverName, { sha256 }]) => rowKey(serverName, sha256)));
}

function rowBytesOf({ record: { serverName, verifyKeys, oldVerifyKeys } }: FetchedRecord): number {
  const further = [...verifyKeys.keys(), ...oldVerifyKeys.keys()].slice(KEYS_WITHIN);
  return further.reduce(
    (bytes, keyId) => bytes + KEY_BYTES + NAMES_OF_KEY * (keyId.length + serverName.length),
    RECORD_ROWS_BYTES,
  );
}

const rowKey = (serverName: string, sha256: string): string => `${sha256} ${serverName}`;

const NOTHING: Usage = { servers: 0, bytes: 0 };

function sum(left: Usage = NOTHING, right: Usage = NOTHING): Usage {
  return { servers: left.servers + right.servers, bytes: left.bytes + right.bytes };
}

async function usageOf(tx: DbTransaction, keys: readonly string[]): Promise<Map<string, Usage>> {
  if (keys.length === 0) return new Map();
  const rows = await usageOfDomains(tx, [...new Set(keys)]);
  return new Map(
    rows.map(({ domain, servers, bytes }) => [domain, { servers: Number(servers), bytes: Number(bytes) }]),
  );
}
