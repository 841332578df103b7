import type { Logger } from '../base/logger.js';
import { isConflict } from './conflict.js';
import { isStoreError } from './store-errors.js';
import type { SqlRunner } from './sql/plain-sql.js';
import { sql } from './sql/sql.js';

/** How far a replica is behind, and why nothing is read from it. */
export interface ReplicaState {
  /** Everything that was committed so long ago is there, ms; `null`: never seen so. */
  behindMs: number | null;
  /** `null`: it is read from. */
  reason: 'away' | 'behind' | 'no_replica' | null;
}

export interface ReplicaOptions<Source> {
  primary: Source;
  source: Source;
  /** It is read from only while it is known to be no further behind. */
  maxBehindMs: number;
  logger: Logger;
  /** Of a clock that is never set. */
  monotonicMs?: () => number;
}

/** A place in the write-ahead log, and when the primary had come so far. */
interface Mark {
  place: string;
  atMs: number;
}

/** So many marks are waited for; of a replica that far behind nothing is read anyway. */
const MAX_MARKS = 100;

/**
 * A streaming replica of the server. How far it is behind is never asked of it: it takes itself for current when its
 * connection to the primary is broken. Instead the primary's place in its log is noted, and looked for there.
 */
export class Replica<Source extends { plain: SqlRunner }> {
  #marks: Mark[] = [];
  #caughtUpMs: number | null = null;
  #reason: 'away' | 'no_replica' | null = 'away';

  constructor(private readonly options: ReplicaOptions<Source>) {}

  state(): ReplicaState {
    const { maxBehindMs } = this.options;
    const behindMs = this.#caughtUpMs === null ? null : this.#nowMs() - this.#caughtUpMs;
    const isBehind = behindMs === null || behindMs > maxBehindMs;
    return { behindMs, reason: this.#reason ?? (isBehind ? 'behind' : null) };
  }

  /** Finds out how far it is behind; to be called again and again. Rejects when the primary is away. */
  async look(): Promise<void> {
    const atMs = this.#nowMs();
    const [row] = await this.options.primary.plain.query<{ place: string }>(
      sql`SELECT CAST(pg_current_wal_lsn() AS TEXT) AS place`,
    );
    this.#marks.push({ place: row?.place ?? '', atMs });
    if (this.#marks.length > MAX_MARKS) this.#marks.shift();
    const before = this.state().reason;
    await this.#compare();
    const { reason, behindMs } = this.state();
    if (reason !== before) {
      const level = reason === null ? 'info' : 'warn';
      this.options.logger[level](
        { reason: 'store_replica', state: reason ?? 'current', behind_ms: behindMs },
        reason === null ? 'lists are read from the replica' : 'lists are read from the primary',
      );
    }
  }

  /** Reads there while it is current enough, else from the primary; there, too, when it fails. */
  async read<T>(work: (source: Source) => Promise<T>): Promise<T> {
    const { primary, source, logger } = this.options;
    if (this.state().reason !== null) return work(primary);
    try {
      return await work(source);
    } catch (error) {
      // Not the replica's doing: a question that is refused, a reader who has gone.
      if (!isConflict(error) && !isStoreError(error)) throw error;
      // What it reads is just being replaced there: it is not away.
      if (!isConflict(error)) this.#reason = 'away';
      logger.warn({ reason: 'store_replica', err: error }, 'a read of the replica failed');
      return work(primary);
    }
  }

  /** A newer place that was reached tells of all before it. */
  async #compare(): Promise<void> {
    try {
      const places = JSON.stringify(this.#marks.map(({ place }) => place));
      const [row] = await this.options.source.plain.query<{ follows: boolean; reached: number | string }>(sql`
        SELECT pg_is_in_recovery() AS follows, COUNT(*) AS reached
        FROM jsonb_array_elements_text(CAST(${places} AS JSONB)) AS mark (place)
        WHERE CAST(mark.place AS PG_LSN) <= pg_last_wal_replay_lsn()`);
      this.#reason = row?.follows === true ? null : 'no_replica';
      const reached = this.#marks.splice(0, Number(row?.reached ?? 0)).at(-1);
      this.#caughtUpMs = reached?.atMs ?? this.#caughtUpMs;
    } catch (error) {
      if (this.#reason !== 'away') this.options.logger.debug({ err: error }, 'the replica is away');
      this.#reason = 'away';
    }
  }

  #nowMs(): number {
    return (this.options.monotonicMs ?? (() => performance.now()))();
  }
}
