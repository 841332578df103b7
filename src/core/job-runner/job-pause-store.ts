import type { Clock } from '../base/clock.js';
import type { Database } from '../store/db.js';
import { sql } from '../store/sql/sql.js';
import { storableText } from '../base/text/storable-text.js';

export interface JobPause {
  job: string;
  pausedTs: number;
  pausedBy: string;
  /** Empty when none was given. */
  reason: string;
}

/** Which jobs are paused; every instance asks before each run that is due. */
export class JobPauseStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async isPaused(job: string): Promise<boolean> {
    const { jobPause } = this.database.client;
    return (await jobPause.findFirst({ where: { job }, select: { job: true } })) !== null;
  }

  async list(): Promise<JobPause[]> {
    const rows = await this.database.client.jobPause.findMany();
    return rows.map((row) => ({ ...row, pausedTs: Number(row.pausedTs) }));
  }

  /** Pauses a job; one that is paused already stays as it is. */
  async pause(job: string, { actor, reason }: { actor: string; reason: string }): Promise<void> {
    await this.database.plain.execute(sql`
      INSERT INTO job_pause (job, paused_ts, paused_by, reason)
      VALUES (${job}, ${BigInt(this.clock.now())}, ${actor}, ${storableText(reason)})
      ON CONFLICT (job) DO NOTHING`);
  }

  async resume(job: string): Promise<void> {
    await this.database.client.jobPause.deleteMany({ where: { job } });
  }
}
