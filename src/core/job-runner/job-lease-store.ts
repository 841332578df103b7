import { randomBytes } from 'node:crypto';

import { MINUTE_MS, type Clock } from '../base/clock.js';
import { isConflict } from '../store/conflict.js';
import type { Database } from '../store/db.js';

/** Renewed every few seconds, so that it runs out only when its holder has died. */
const LEASE_MS = 2 * MINUTE_MS;
/**
 * A lease from further ahead was taken before the clock was set back. Below that an asker's clock may be behind the
 * holder's by as much as it may be ahead (`LEASE_MS`), and its statement may wait half a minute for its turn.
 */
const TOO_FAR_MS = 2 * LEASE_MS + MINUTE_MS;

/** Leases of jobs: of all processes with one database, one at a time may run a job. */
export class JobLeaseStore {
  readonly #holder = randomBytes(12).toString('hex');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Takes or renews the lease of a job. `false`: another process has it. */
  async take(job: string): Promise<boolean> {
    const { jobLease } = this.database.client;
    const nowTs = this.clock.now();
    const data = { holder: this.#holder, expiresTs: BigInt(nowTs + LEASE_MS) };
    const taken = await jobLease.updateMany({
      where: {
        job,
        OR: [
          { holder: this.#holder },
          { expiresTs: { lt: BigInt(nowTs) } },
          { expiresTs: { gt: BigInt(nowTs + TOO_FAR_MS) } },
        ],
      },
      data,
    });
    if (taken.count > 0) return true;
    try {
      await jobLease.create({ data: { job, ...data }, select: { job: true } });
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
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
