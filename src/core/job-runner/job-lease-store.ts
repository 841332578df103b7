import { randomBytes } from 'node:crypto';

import { MINUTE_MS, SECOND_MS, type Clock } from '../base/clock.js';
import type { Database } from '../store/db.js';
import { sql } from '../store/sql/sql.js';

/** Renewed every few seconds, so that it runs out only when its holder has died. */
const LEASE_MS = 2 * MINUTE_MS;
/**
 * A lease from further ahead was taken before the clock was set back. Below that an asker's clock may be behind the
 * holder's by as much as it may be ahead (`LEASE_MS`), and its statement may wait half a minute for its turn.
 */
const TOO_FAR_MS = 2 * LEASE_MS + MINUTE_MS;

/** A lease that has not changed for so long was renewed by nobody: its holder has died. */
const SILENT_MS = 15 * SECOND_MS;

interface Seen {
  holder: string;
  expiresTs: number;
  /** Since when it has been as it is, by our clock. */
  sinceTs: number;
}

/** Leases of jobs: of all processes with one database, one at a time may run a job. */
export class JobLeaseStore {
  readonly #holder = randomBytes(12).toString('hex');
  /** Leases of others as they were found, by job. */
  readonly #seen = new Map<string, Seen>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Takes or renews the lease of a job. `false`: another process has it. */
  async take(job: string): Promise<boolean> {
    const nowTs = this.clock.now();
    const dead = this.#silentHolder(job, nowTs);
    const taken = await this.database.plain.query(sql`
      INSERT INTO job_lease (job, holder, expires_ts) VALUES (${job}, ${this.#holder}, ${BigInt(nowTs + LEASE_MS)})
      ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, expires_ts = excluded.expires_ts
      WHERE job_lease.holder = ${this.#holder} OR job_lease.expires_ts < ${BigInt(nowTs)}
        OR job_lease.expires_ts > ${BigInt(nowTs + TOO_FAR_MS)}
        OR (job_lease.holder = ${dead?.holder ?? ''} AND job_lease.expires_ts = ${BigInt(dead?.expiresTs ?? 0)})
      RETURNING job`);
    if (taken.length > 0) this.#seen.delete(job);
    else await this.#look(job, nowTs);
    return taken.length > 0;
  }

  /** Who held the lease so long ago without renewing it since that it must have died; by our clock alone. */
  #silentHolder(job: string, nowTs: number): Seen | null {
    const seen = this.#seen.get(job);
    return seen !== undefined && nowTs - seen.sinceTs >= SILENT_MS ? seen : null;
  }

  async #look(job: string, nowTs: number): Promise<void> {
    const [row] = await this.database.plain.query<{ holder: string; expiresTs: number | string }>(
      sql`SELECT holder, expires_ts AS "expiresTs" FROM job_lease WHERE job = ${job}`,
    );
    if (row === undefined) return;
    const { holder } = row;
    const expiresTs = Number(row.expiresTs);
    const seen = this.#seen.get(job);
    const isSame = seen?.holder === holder && seen.expiresTs === expiresTs && seen.sinceTs <= nowTs;
    if (!isSame) this.#seen.set(job, { holder, expiresTs, sinceTs: nowTs });
  }

  /** Ends all leases but those of the given jobs: for the only server of a database. */
  async endAllBut(jobs: readonly string[]): Promise<void> {
    const where = { job: { notIn: [...jobs] } };
    await this.database.client.jobLease.updateMany({ where, data: { expiresTs: 0n } });
  }

  /** Gives the lease back. */
  async release(job: string): Promise<void> {
    await this.database.client.jobLease.updateMany({
      where: { job, holder: this.#holder },
      data: { expiresTs: 0n },
    });
  }
}
