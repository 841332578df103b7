import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { Database } from '../db.js';
import { ENGINE_SQL } from '../sql/engine-sql.js';
import { sql, type Sql } from '../sql/sql.js';
import { ALONE, type WorkLeases, type WorkOutcome, type WorkTurn } from './work-leases.js';

export interface StoredLeasesOptions {
  database: Pick<Database, 'engine' | 'plain'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Renewed every few seconds, so that it runs out only when its holder has died: soon enough that whoever waits still
 * has time to do the work himself, such as a key query with its 15 s.
 */
const LEASE_MS = 8 * SECOND_MS;
const RENEWAL_MS = 2 * SECOND_MS;
/** Work of another instance that takes longer is done here, too. */
const MAX_WAIT_MS = 2 * MINUTE_MS;
/** Outcomes live for an hour at most: what ends later was begun before a clock was set back. */
const TOO_FAR_MS = 61 * MINUTE_MS;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
const MAX_ROWS = 100_000;

/** A row as the attempt to begin finds it. */
interface Found {
  isMine: boolean;
  expiresTs: number;
  outcome: string | null;
}

const MINE: Found = { isMine: true, expiresTs: 0, outcome: null };

interface Ended {
  key: string;
  outcome: string | null;
  expiresTs: number;
}

/** Leases as rows; what is begun or ended at the same moment goes in one statement. */
export class StoredLeases implements WorkLeases {
  readonly isShared = true;
  readonly #holder = randomBytes(12).toString('hex');
  readonly #held = new Set<string>();
  #hasHeld = false;
  #beginning: { keys: Set<string>; found: Promise<Map<string, Found>> } | null = null;
  #ended: Ended[] = [];
  #ending: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: StoredLeasesOptions) {}

  get #sql(): (typeof ENGINE_SQL)['sqlite'] {
    return ENGINE_SQL[this.options.database.engine];
  }

  async begin(key: string, signal?: AbortSignal): Promise<WorkTurn> {
    const endMs = performance.now() + MAX_WAIT_MS;
    for (let pauseMs = FIRST_PAUSE_MS; performance.now() < endMs; pauseMs *= 2) {
      signal?.throwIfAborted();
      const found = await this.#tryToBegin(key);
      if (found?.isMine === true) return this.#turn(key, pauseMs > FIRST_PAUSE_MS);
      if (found !== undefined && found.outcome !== null) {
        return { told: found.outcome, remainingMs: found.expiresTs - this.options.clock.now() };
      }
      await sleep(Math.min(pauseMs, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => undefined);
    }
    return ALONE;
  }

  async forget(keys: readonly string[] | { prefix: string }): Promise<void> {
    const these =
      'prefix' in keys ? sql`key LIKE ${`${keys.prefix}%`}` : sql`key IN (${this.#sql.keys(keys)})`;
    await this.options.database.plain.execute(sql`
      WITH gone AS (SELECT key FROM work_lease WHERE ${these} AND outcome IS NOT NULL ORDER BY key ${this.#sql.hold})
      DELETE FROM work_lease WHERE key IN (SELECT key FROM gone)`);
  }

  /** Removes what is over; of more than 100,000 outcomes, all. */
  async prune(): Promise<void> {
    const nowTs = BigInt(this.options.clock.now());
    await this.options.database.plain.execute(sql`
      WITH gone AS (
        SELECT key FROM work_lease
        WHERE expires_ts < ${nowTs} OR (outcome IS NOT NULL AND (SELECT COUNT(*) FROM work_lease) > ${MAX_ROWS})
        ORDER BY key ${this.#sql.holdFree})
      DELETE FROM work_lease WHERE key IN (SELECT key FROM gone)`);
  }

  /** What this instance came to goes with its memory: nobody is told any more. */
  async close(): Promise<void> {
    this.#stopRenewing();
    await this.#ending;
    if (!this.#hasHeld) return;
    await this.#write(sql`
      WITH gone AS (SELECT key FROM work_lease WHERE holder = ${this.#holder} ORDER BY key ${this.#sql.hold})
      DELETE FROM work_lease WHERE key IN (SELECT key FROM gone)`);
  }

  /** What is asked for until the event loop has turned goes together. */
  async #tryToBegin(key: string): Promise<Found | undefined> {
    if (this.#beginning === null) {
      const keys = new Set<string>();
      const found = setImmediate().then(() => {
        this.#beginning = null;
        return this.#take([...keys]);
      });
      this.#beginning = { keys, found };
    }
    this.#beginning.keys.add(key);
    return (await this.#beginning.found).get(key);
  }

  /**
   * In the order of keys, so that two instances never wait for each other. What this instance came to itself it knows:
   * whoever asks here again wants more than that.
   */
  async #take(keys: readonly string[]): Promise<Map<string, Found>> {
    const nowTs = this.options.clock.now();
    const expiresTs = nowTs + LEASE_MS;
    const { plain } = this.options.database;
    const taken = await plain.query<{ key: string }>(sql`
      INSERT INTO work_lease (key, holder, expires_ts)
      SELECT key, CAST(${this.#holder} AS TEXT), CAST(${BigInt(expiresTs)} AS BIGINT)
      FROM (${this.#sql.keys(keys)}) AS asked WHERE TRUE ORDER BY key
      ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, expires_ts = excluded.expires_ts, outcome = NULL
      WHERE work_lease.expires_ts < ${BigInt(nowTs)} OR work_lease.expires_ts > ${BigInt(nowTs + TOO_FAR_MS)}
        OR (work_lease.holder = excluded.holder AND work_lease.outcome IS NOT NULL)
      RETURNING key`);
    const found = new Map<string, Found>(taken.map(({ key }) => [key, MINE]));
    const others = keys.filter((key) => !found.has(key));
    if (others.length === 0) return found;
    // One of our own may have been ended since: it is taken the next time.
    const rows = await plain.query<{ key: string; expiresTs: unknown; outcome: string | null }>(sql`
      SELECT key, expires_ts AS "expiresTs", CASE WHEN holder = ${this.#holder} THEN NULL ELSE outcome END AS outcome
      FROM work_lease WHERE key IN (${this.#sql.keys(others)})`);
    for (const { key, outcome, expiresTs } of rows)
      found.set(key, { isMine: false, outcome, expiresTs: Number(expiresTs) });
    return found;
  }

  #turn(key: string, isTakenOver: boolean): WorkTurn {
    this.#held.add(key);
    this.#hasHeld = true;
    this.#timer ??= setInterval(() => void this.#renew(), RENEWAL_MS).unref();
    return { told: null, isTakenOver, end: (outcome) => this.#end(key, outcome) };
  }

  #end(key: string, outcome: WorkOutcome | null): void {
    if (!this.#held.delete(key)) return;
    if (this.#held.size === 0) this.#stopRenewing();
    const expiresTs = outcome === null ? 0 : this.options.clock.now() + outcome.lifetimeMs;
    this.#ended.push({ key, outcome: outcome?.text ?? null, expiresTs });
    this.#ending ??= this.#writeEnded().finally(() => {
      this.#ending = null;
    });
  }

  async #writeEnded(): Promise<void> {
    await setImmediate();
    while (this.#ended.length > 0) {
      const ended = this.#ended;
      this.#ended = [];
      await this.#write(
        sql`
          WITH ended AS (${this.#sql.outcomes(ended)}),
          mine AS (
            SELECT key FROM work_lease WHERE holder = ${this.#holder} AND key IN (SELECT key FROM ended)
            ORDER BY key ${this.#sql.hold})
          UPDATE work_lease SET outcome = ended.outcome, expires_ts = ended."expiresTs"
          FROM mine JOIN ended ON ended.key = mine.key WHERE work_lease.key = mine.key`,
      );
    }
  }

  async #renew(): Promise<void> {
    const expiresTs = BigInt(this.options.clock.now() + LEASE_MS);
    await this.#write(
      sql`
        WITH mine AS (
          SELECT key FROM work_lease WHERE key IN (${this.#sql.keys([...this.#held])})
            AND holder = ${this.#holder} ORDER BY key ${this.#sql.hold})
        UPDATE work_lease SET expires_ts = ${expiresTs} FROM mine WHERE work_lease.key = mine.key AND outcome IS NULL`,
    );
  }

  /** What is not written is no harm: leases run out by themselves. */
  async #write(statement: Sql): Promise<void> {
    try {
      await this.options.database.plain.execute(statement);
    } catch (error) {
      this.options.logger.debug({ err: error }, 'a lease was not written; it runs out by itself');
    }
  }

  #stopRenewing(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
