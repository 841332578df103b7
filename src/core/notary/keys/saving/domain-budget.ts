import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/places/reached-bounds.js';
import { insertRows, type InsertTarget } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../../store/sql/sql.js';
import { domainOf } from './failed-servers.js';
import type { FetchOutcome } from './fetch-outcome.js';
import type { FetchedRecord } from './record-rows.js';

/** What may be stored of the servers below one registrable domain, and of all: records with the rows they cause. */
export interface BudgetLimits {
  maxServers: number;
  maxBytes: number;
  maxTotalBytes: number;
  /** Setting federation.max_kept_fetches. */
  maxKeptFetches: number;
}

export interface DomainBudgetOptions extends BudgetLimits {
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
/** An operator who keeps more has the room for them: so many servers of a domain fit as before. */
const MAX_RESERVED_FETCHES = 50;

const USAGE: InsertTarget = {
  table: 'domain_usage',
  conflict: `ON CONFLICT (domain) DO UPDATE SET servers = domain_usage.servers + excluded.servers,
    bytes = domain_usage.bytes + excluded.bytes`,
};

/**
 * Budget of each registrable domain, below which names cost nothing, and of all of them. Beyond that of its domain no
 * further record is stored, of new names or of known ones, nor a change back to an earlier one; beyond that of all, none
 * of new names. What is stored stays, and goes on being renewed.
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
  async charge(runner: SqlRunner, outcomes: readonly FetchOutcome[]): Promise<Charge> {
    const refused = new Set<string>();
    const charged = new Map<string, Usage>();
    const added = await this.#addedRecords(runner, outcomes);
    if (added.length === 0) return { refused, charged };
    const domains = [...new Set(added.map(({ domain }) => domain))];
    const rows = await runner.query<UsageColumns>(
      sql`SELECT domain, servers, bytes FROM domain_usage WHERE domain IN (${listOf(paddedNames([ALL, ...domains]))})`,
    );
    const used = new Map(rows.map((row) => [row.domain, usageOf(row)]));
    for (const { serverName, domain, more, reserved } of added) {
      const now = sum(used.get(domain), charged.get(domain));
      const total = sum(used.get(ALL), charged.get(ALL));
      const ofDomain = sum(more, reserved);
      const bound = this.#boundOf(now, ofDomain) ?? this.#totalBoundOf(total, more);
      if (bound === null) {
        charged.set(domain, sum(charged.get(domain), ofDomain));
        charged.set(ALL, sum(charged.get(ALL), more));
      } else {
        refused.add(serverName);
        this.bounds.note(bound, { domain, ...now, total_bytes: total.bytes });
      }
    }
    return { refused, charged };
  }

  /** Adds it up, in one order everywhere. The row of all comes last: whoever holds it waits for nobody. */
  async book(runner: SqlRunner, { charged }: Charge): Promise<void> {
    const inOrder = [...charged].toSorted(
      ([a], [b]) => Number(a === ALL) - Number(b === ALL) || (a < b ? -1 : 1),
    );
    const charges = Array.from(inOrder, ([domain, { servers, bytes }]) => ({
      domain,
      servers: BigInt(servers),
      bytes: BigInt(bytes),
    }));
    await insertRows(runner, USAGE, charges);
  }

  #boundOf(now: Usage, more: Usage): BudgetBound | null {
    const { maxServers, maxBytes } = this.options;
    if (more.servers > 0 && now.servers >= maxServers) return 'servers';
    return now.bytes + more.bytes > maxBytes ? 'bytes' : null;
  }

  /** Servers that are stored go on being renewed: names that somebody invents are not to keep others' keys out. */
  #totalBoundOf(total: Usage, more: Usage): BudgetBound | null {
    if (more.servers === 0) return null;
    return total.bytes + more.bytes > this.options.maxTotalBytes ? 'total' : null;
  }

  async #addedRecords(runner: SqlRunner, outcomes: readonly FetchOutcome[]): Promise<AddedRecord[]> {
    const renewed = await renewedRecords(runner, outcomes);
    return outcomes.flatMap(({ entry: { serverName }, events, fetched, isFirst = false }) => {
      const domain = domainOf(serverName);
      if (fetched === null) {
        const bytes = events.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(events));
        return bytes === 0 ? [] : [{ serverName, domain, more: { servers: 0, bytes }, reserved: NOTHING }];
      }
      if (!isFirst && renewed.has(rowKey(serverName, fetched.record.sha256))) return [];
      const more = { servers: isFirst ? 1 : 0, bytes: fetched.published.length + rowBytesOf(fetched) };
      return [{ serverName, domain, more, reserved: isFirst ? this.#reserve : NOTHING }];
    });
  }

  /** For the fetches that may be kept of a server. */
  get #reserve(): Usage {
    const fetches = Math.min(this.options.maxKeptFetches, MAX_RESERVED_FETCHES);
    return { servers: 0, bytes: fetches * FETCH_BYTES };
  }
}

/** A record that would take room, itself or by the events that it causes, as one does that was refused. */
interface AddedRecord {
  serverName: string;
  domain: string;
  more: Usage;
  /** Room that its domain is charged with beforehand. */
  reserved: Usage;
}

/** Those of known servers that have come again. One that takes the place of another is a change, kept for ever. */
async function renewedRecords(runner: SqlRunner, outcomes: readonly FetchOutcome[]): Promise<Set<string>> {
  const again = outcomes.flatMap(({ fetched, isFirst }) =>
    fetched === null || isFirst === true ? [] : [fetched.record],
  );
  if (again.length === 0) return new Set();
  const names = listOf(paddedNames(again.map(({ serverName }) => serverName)));
  const hashes = listOf(paddedNames(again.map(({ sha256 }) => sha256)));
  const rows = await runner.query<{ server_name: string; sha256: string }>(
    sql`SELECT r.server_name AS server_name, r.sha256 AS sha256 FROM key_record r
      WHERE r.server_name IN (${names}) AND r.sha256 IN (${hashes}) AND NOT EXISTS (
        SELECT 1 FROM verify_key k JOIN key_record later ON later.id = k.record_id
        WHERE k.server_name = r.server_name AND later.last_seen_ts > r.last_seen_ts)`,
  );
  return new Set(rows.map((row) => rowKey(row.server_name, row.sha256)));
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

interface UsageColumns {
  domain: string;
  servers: number | string;
  bytes: number | string;
}

function usageOf({ servers, bytes }: UsageColumns): Usage {
  return { servers: Number(servers), bytes: Number(bytes) };
}
