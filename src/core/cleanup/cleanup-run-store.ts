import type { Database } from '../db/db.js';

/** Jobs that leave rows. */
export type CleanupJob = 'preview_cleanup' | 'media_sweep';

/** Who started a run. */
export type CleanupCause = 'job' | 'operator';

/** A finished run; a row of job_run. */
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
    await this.database.client.jobRun.create({
      data: {
        job: run.job,
        cause: run.cause,
        startedTs: BigInt(run.startedTs),
        finishedTs: BigInt(run.startedTs + run.durationMs),
        durationMs: run.durationMs,
        outcome: run.outcome,
        counts: { ...run.counts },
        bytes: BigInt(run.bytes),
        message: run.error,
      },
      select: { id: true },
    });
  }

  /** The latest runs of a job, newest first. */
  async list(job: CleanupJob, limit: number): Promise<(CleanupRun & { id: number })[]> {
    const rows = await this.database.client.jobRun.findMany({
      where: { job },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return rows.map((row) => ({
      id: row.id,
      durationMs: row.durationMs,
      error: row.message,
      job: row.job as CleanupJob,
      cause: row.cause as CleanupCause,
      outcome: row.outcome as CleanupRun['outcome'],
      startedTs: Number(row.startedTs),
      bytes: Number(row.bytes),
      counts: row.counts as Record<string, number>,
    }));
  }
}
