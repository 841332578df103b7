import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { BoundsReached } from '../../../net/places/bounds-reached.js';
import type { BoundReached } from '../../../net/places/bounds-reached.js';
import type { DbTransaction } from '../../../store/db.js';
import { insertRows } from '../../../store/sql/insert-rows.js';
import type { InsertTarget } from '../../../store/sql/insert-rows.js';
import { padded } from '../../../store/sql/padded.js';
import { asTemplate, listOf, sql } from '../../../store/sql/sql.js';
import { domainOf } from './failed-servers.js';
import type { FetchOutcome } from './fetch-outcome.js';

/** What may be stored of the servers below one registrable domain. */
export interface BudgetLimits {
  maxServers: number;
  /** Of their records as published. */
  maxBytes: number;
}

/** What it is built from. */
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
  columns: ['domain', 'servers', 'bytes'],
  conflict: `ON CONFLICT (domain) DO UPDATE SET servers = domain_usage.servers + excluded.servers,
    bytes = domain_usage.bytes + excluded.bytes`,
};

/**
 * Budget of each registrable domain, below which names cost nothing. Beyond it further records, of new names or of
 * known ones, are not stored; what is stored stays, and goes on being renewed.
 */
export class DomainBudget {
  readonly #bounds: BoundsReached<BudgetBound>;

  constructor(private readonly options: DomainBudgetOptions) {
    this.#bounds = new BoundsReached({
      ...options,
      sentence: 'key records are kept in memory only: the budget of their domain is used up',
    });
  }

  /** Bounds that were reached in the last hour. */
  get boundsReached(): BoundReached<BudgetBound>[] {
    return this.#bounds.lately;
  }

  /**
   * Charges records that are not stored yet to their domains, inside the caller's transaction. Returns the names of
   * servers whose record is not to be stored.
   */
  async charge(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<Set<string>> {
    const refused = new Set<string>();
    const added = await addedRecords(tx, outcomes);
    if (added.length === 0) return refused;
    const domains = [...new Set(added.map(({ domain }) => domain))];
    const rows = await tx.domainUsage.findMany({ where: { domain: { in: domains } } });
    const used = new Map(rows.map((row) => [row.domain, usageOf(row)]));
    const charged = new Map<string, Usage>();
    for (const { serverName, domain, more } of added) {
      const now = sum(used.get(domain), charged.get(domain));
      const bound = this.#boundOf(now, more);
      if (bound === null) charged.set(domain, sum(charged.get(domain), more));
      else {
        refused.add(serverName);
        this.#bounds.note(bound, { domain, ...now });
        this.options.onBound?.(bound);
      }
    }
    const toRow = ([domain, { servers, bytes }]: [string, Usage]) => [domain, BigInt(servers), BigInt(bytes)];
    await insertRows(tx, USAGE, Array.from(charged, toRow));
    return refused;
  }

  #boundOf(now: Usage, more: Usage): BudgetBound | null {
    const { maxServers, maxBytes } = this.options;
    if (more.servers > 0 && now.servers >= maxServers) return 'servers';
    return now.bytes + more.bytes > maxBytes ? 'bytes' : null;
  }
}

/** A record that would take room. */
interface AddedRecord {
  serverName: string;
  domain: string;
  more: Usage;
}

async function addedRecords(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<AddedRecord[]> {
  const stored = await storedRecords(tx, outcomes);
  return outcomes.flatMap(({ entry: { serverName }, fetched, isFirst }) => {
    if (fetched === null) return [];
    if (isFirst !== true && stored.has(rowKey(serverName, fetched.record.sha256))) return [];
    const more = { servers: isFirst === true ? 1 : 0, bytes: fetched.published.length };
    return [{ serverName, domain: domainOf(serverName), more }];
  });
}

/** Those of known servers that have come again. */
async function storedRecords(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<Set<string>> {
  const again = outcomes.flatMap(({ fetched, isFirst }) =>
    fetched === null || isFirst === true ? [] : [fetched.record],
  );
  if (again.length === 0) return new Set();
  const names = padded(again.map(({ serverName }) => serverName));
  const hashes = padded(again.map(({ sha256 }) => sha256));
  const statement = sql`SELECT server_name, sha256 FROM key_record
    WHERE server_name IN (${listOf(names)}) AND sha256 IN (${listOf(hashes)})`;
  const rows = await tx.$queryRaw<{ server_name: string; sha256: string }[]>(
    asTemplate(statement),
    ...statement.values,
  );
  return new Set(rows.map((row) => rowKey(row.server_name, row.sha256)));
}

const rowKey = (serverName: string, sha256: string): string => `${sha256} ${serverName}`;

const NOTHING: Usage = { servers: 0, bytes: 0 };

function sum(left: Usage = NOTHING, right: Usage = NOTHING): Usage {
  return { servers: left.servers + right.servers, bytes: left.bytes + right.bytes };
}

function usageOf({ servers, bytes }: { servers: bigint; bytes: bigint }): Usage {
  return { servers: Number(servers), bytes: Number(bytes) };
}
