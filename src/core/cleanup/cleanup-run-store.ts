import type { Database } from '../db/db.js';

/** Jobs that leave rows. */
export type CleanupJob = 'preview_cleanup' | 'media_sweep';

/** Who started a run. */
export type CleanupCause = 'job' | 'operator';

/** A finished run; a row of cleanup_run. */
export interface CleanupRun {
  job: CleanupJob;
  cause: CleanupCause;
  startedTs: number;
  durationMs: number;
  /** Numbers by name. */
  counts: Readonly<Record<string, number>>;
  /** Bytes freed on disk. */
  bytes: number;
  outcome: 'ok' | 'failed' | 'cancelled';
  /** `null` when nothing went wrong. */
  error: string | null;
}

/** What runs did. Kept for a limited time. */
export class CleanupRunStore {
  constructor(private readonly database: Database) {}

  async save(run: CleanupRun): Promise<void> {
    await this.database.client.cleanupRun.create({
      data: { ...run, startedTs: BigInt(run.startedTs), bytes: BigInt(run.bytes), counts: { ...run.counts } },
      select: { id: true },
    });
  }

  /** The latest runs of a job, newest first. */
  async list(job: CleanupJob, limit: number): Promise<(CleanupRun & { id: number })[]> {
    const rows = await this.database.client.cleanupRun.findMany({
      where: { job },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return rows.map((row) => ({
      ...row,
      job: row.job as CleanupJob,
      cause: row.cause as CleanupCause,
      outcome: row.outcome as CleanupRun['outcome'],
      startedTs: Number(row.startedTs),
      bytes: Number(row.bytes),
      counts: row.counts as Record<string, number>,
    }));
  }
}
