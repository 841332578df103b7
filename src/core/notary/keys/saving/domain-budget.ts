import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ReachedBounds } from '../../../base/places/reached-bounds.js';
import { insertRows, type InsertTarget } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../../store/sql/sql.js';
import { domainOf } from './failed-servers.js';
import type { FetchOutcome } from './fetch-outcome.js';

/** What may be stored of the servers below one registrable domain. */
export interface BudgetLimits {
  maxServers: number;
  /** Of their records as published. */
  maxBytes: number;
}

export interface DomainBudgetOptions extends BudgetLimits {
  clock: Clock;
  logger: Logger;
  /** Told of each record that is not stored. */
  onBound?: (bound: BudgetBound) => void;
}

/** A bound that was reached. */
export type BudgetBound = 'servers' | 'bytes';

interface Usage {
  servers: number;
  bytes: number;
}

const USAGE: InsertTarget = {
  table: 'domain_usage',
  conflict: `ON CONFLICT (domain) DO UPDATE SET servers = domain_usage.servers + excluded.servers,
    bytes = domain_usage.bytes + excluded.bytes`,
};

/**
 * Budget of each registrable domain, below which names cost nothing. Beyond it further records, of new names or of
 * known ones, and changes back to earlier ones are not stored; what is stored stays, and goes on being renewed.
 */
export class DomainBudget {
  readonly bounds: ReachedBounds<BudgetBound>;

  constructor(private readonly options: DomainBudgetOptions) {
    const { clock, logger, onBound } = options;
    const message = 'key records are kept in memory only: the budget of their domain is used up';
    this.bounds = new ReachedBounds({ clock, log: (line) => logger.warn(line, message), count: onBound });
  }

  /**
   * Charges records that are not the newest of their servers yet, and events of refused ones, to their domains, inside
   * the caller's transaction. Returns the names of servers of which neither is to be stored.
   */
  async charge(runner: SqlRunner, outcomes: readonly FetchOutcome[]): Promise<Set<string>> {
    const refused = new Set<string>();
    const added = await addedRecords(runner, outcomes);
    if (added.length === 0) return refused;
    const domains = [...new Set(added.map(({ domain }) => domain))];
    const rows = await runner.query<UsageColumns>(
      sql`SELECT domain, servers, bytes FROM domain_usage WHERE domain IN (${listOf(paddedNames(domains))})`,
    );
    const used = new Map(rows.map((row) => [row.domain, usageOf(row)]));
    const charged = new Map<string, Usage>();
    for (const { serverName, domain, more } of added) {
      const now = sum(used.get(domain), charged.get(domain));
      const bound = this.#boundOf(now, more);
      if (bound === null) charged.set(domain, sum(charged.get(domain), more));
      else {
        refused.add(serverName);
        this.bounds.note(bound, { domain, ...now });
      }
    }
    const charges = Array.from(charged, ([domain, { servers, bytes }]) => ({
      domain,
      servers: BigInt(servers),
      bytes: BigInt(bytes),
    }));
    await insertRows(runner, USAGE, charges);
    return refused;
  }

  #boundOf(now: Usage, more: Usage): BudgetBound | null {
    const { maxServers, maxBytes } = this.options;
    if (more.servers > 0 && now.servers >= maxServers) return 'servers';
    return now.bytes + more.bytes > maxBytes ? 'bytes' : null;
  }
}

/** A record that would take room, itself or by the events that it causes, as one does that was refused. */
interface AddedRecord {
  serverName: string;
  domain: string;
  more: Usage;
}

async function addedRecords(runner: SqlRunner, outcomes: readonly FetchOutcome[]): Promise<AddedRecord[]> {
  const renewed = await renewedRecords(runner, outcomes);
  return outcomes.flatMap(({ entry: { serverName }, events, fetched, isFirst }) => {
    const domain = domainOf(serverName);
    if (fetched === null) {
      const bytes = events.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(events));
      return bytes === 0 ? [] : [{ serverName, domain, more: { servers: 0, bytes } }];
    }
    if (isFirst !== true && renewed.has(rowKey(serverName, fetched.record.sha256))) return [];
    const more = { servers: isFirst === true ? 1 : 0, bytes: fetched.published.length };
    return [{ serverName, domain, more }];
  });
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
