import { randomBytes } from 'node:crypto';

import { MINUTE_MS, type Clock } from '../base/clock.js';
import { storableText } from '../base/text/strings.js';
import { isConflict } from '../store/store-errors.js';
import type { Database } from '../store/db.js';

export interface JobPause {
  job: string;
  pausedTs: number;
  pausedBy: string;
  /** Empty when none was given. */
  reason: string;
}

/** Renewed every few seconds, so that it runs out only when its holder has died. */
const LEASE_MS = 2 * MINUTE_MS;
/** A lease that ends later than this was taken before the clock was set back. */
const TOO_FAR_MS = 5 * MINUTE_MS;

/** The rows of jobs: of all processes with one database one at a time may run a job, and none while it is paused. */
export class JobStore {
  readonly #holder = randomBytes(12).toString('hex');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Takes or renews the lease of a job. `false`: another process has it. */
  async takeLease(name: string): Promise<boolean> {
    const { job } = this.database.client;
    const nowTs = this.clock.now();
    const data = { holder: this.#holder, leaseTs: BigInt(nowTs + LEASE_MS) };
    const isFree = [
      { holder: this.#holder },
      { leaseTs: { lt: BigInt(nowTs) } },
      { leaseTs: { gt: BigInt(nowTs + TOO_FAR_MS) } },
    ];
    const { count } = await job.updateMany({ where: { name, OR: isFree }, data });
    if (count > 0) return true;
    if ((await job.findFirst({ where: { name } })) !== null) return false;
    try {
      await job.create({ data: { name, ...data } });
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  async releaseLease(name: string): Promise<void> {
    await this.database.client.job.updateMany({
      where: { name, holder: this.#holder },
      data: { leaseTs: 0n },
    });
  }

  /** Ends all leases: for the only server of a database, at its start. */
  async endLeases(): Promise<void> {
    await this.database.client.job.updateMany({ data: { leaseTs: 0n } });
  }

  async isPaused(name: string): Promise<boolean> {
    const row = await this.database.client.job.findFirst({ where: { name } });
    return row !== null && row.pausedTs !== null;
  }

  async listPauses(): Promise<JobPause[]> {
    const rows = await this.database.client.job.findMany({ where: { pausedTs: { not: null } } });
    return rows.map((row) => ({
      job: row.name,
      pausedTs: Number(row.pausedTs),
      pausedBy: row.pausedBy ?? '',
      reason: row.pauseReason ?? '',
    }));
  }

  /** Pauses a job; one that is paused already stays as it is. */
  async pause(name: string, { actor, reason }: { actor: string; reason: string }): Promise<void> {
    const { job } = this.database.client;
    await job.upsert({ where: { name }, create: { name }, update: {} });
    await job.updateMany({
      where: { name, pausedTs: null },
      data: {
        pausedTs: BigInt(this.clock.now()),
        pausedBy: actor,
        pauseReason: storableText(reason),
      },
    });
  }

  async resume(name: string): Promise<void> {
    await this.database.client.job.updateMany({ where: { name }, data: { pausedTs: null } });
  }
}
