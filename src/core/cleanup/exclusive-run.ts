import { HOUR_MS } from '../clock.js';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { CleanupCause, CleanupJob, CleanupRun, CleanupRunStore } from './cleanup-run-store.js';
import type { JobLeaseStore } from './job-lease-store.js';
import { RunCancelled, RunTally } from './run-tally.js';

/** What runs of one job are made with. */
export interface ExclusiveRunOptions {
  job: CleanupJob;
  leases: JobLeaseStore;
  runs: CleanupRunStore;
  clock: Clock;
  logger: Logger;
}

/** Who runs a job and how it is stopped. */
export interface RunRequest {
  cause: CleanupCause;
  signal?: AbortSignal;
}

/** What became of a run. */
export interface CleanupReport {
  outcome: CleanupRun['outcome'] | 'skipped';
  /** Why it was skipped or failed; `null` when all went well. */
  reason: string | null;
  counts: Readonly<Record<string, number>>;
  bytes: number;
  startedTs: number;
  durationMs: number;
}

/** The same trouble run after run leaves one row and one log line an hour. */
const REPEAT_MS = HOUR_MS;

/**
 * Runs a job never twice at once: callers in this process join the run under way, other processes are kept out
 * by a lease. A run that did something, failed, or was asked for by an operator leaves a row; others, which
 * would come every ten seconds, leave none.
 */
export class ExclusiveRun {
  #running: Promise<CleanupReport> | null = null;
  #trouble: { text: string; ts: number } | null = null;
  #last: CleanupReport | null = null;

  constructor(private readonly options: ExclusiveRunOptions) {}

  /** The latest run of this process, also when it left no row; `null` before the first. */
  get last(): CleanupReport | null {
    return this.#last;
  }

  /** Runs `work`, or joins the run under way. Never rejects: what went wrong is in the report. */
  run(request: RunRequest, work: (tally: RunTally) => Promise<string | null>): Promise<CleanupReport> {
    this.#running ??= this.#run(request, work)
      .then((report) => {
        this.#last = report;
        return report;
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #run(request: RunRequest, work: (tally: RunTally) => Promise<string | null>): Promise<CleanupReport> {
    const { job, leases, clock } = this.options;
    const startedTs = clock.now();
    const startedMs = performance.now();
    let isHolder = false;
    const tally = new RunTally(request.signal, async () => {
      isHolder = await leases.take(job);
      return isHolder;
    });
    const ending = await this.#attempt(tally, work);
    if (isHolder) await this.#release();
    const report: CleanupReport = {
      ...ending,
      counts: tally.counts,
      bytes: tally.bytes,
      startedTs,
      durationMs: Math.round(performance.now() - startedMs),
    };
    await this.#leaveRow(report, request.cause, tally);
    return report;
  }

  async #attempt(
    tally: RunTally,
    work: (tally: RunTally) => Promise<string | null>,
  ): Promise<Pick<CleanupReport, 'outcome' | 'reason'>> {
    const { job, logger } = this.options;
    try {
      const skipped = await work(tally);
      if (skipped !== null) return { outcome: 'skipped', reason: skipped };
      const trouble = tally.fileTrouble;
      return { outcome: trouble === null ? 'ok' : 'failed', reason: trouble };
    } catch (error) {
      if (error instanceof RunCancelled) {
        return { outcome: tally.didSomething ? 'cancelled' : 'skipped', reason: error.message };
      }
      const reason = error instanceof Error ? error.message : 'unknown error';
      if (this.#isNewTrouble(reason)) logger.error({ err: error, job }, 'cleaning up failed');
      return { outcome: 'failed', reason };
    }
  }

  async #release(): Promise<void> {
    const { job, leases, logger } = this.options;
    try {
      await leases.release(job);
    } catch (error) {
      logger.debug({ err: error, job }, 'the lease was not given back and will run out');
    }
  }

  async #leaveRow(report: CleanupReport, cause: CleanupCause, tally: RunTally): Promise<void> {
    const { job, runs, logger } = this.options;
    const { outcome, reason, ...figures } = report;
    if (outcome === 'skipped') return;
    const isNews = reason !== null && this.#isNewTrouble(reason);
    if (reason === null) this.#trouble = null;
    else if (isNews) this.#trouble = { text: reason, ts: report.startedTs };
    if (!tally.didSomething && !isNews && cause !== 'operator') return;
    logger.info({ job, outcome, reason, ...report.counts, bytes: report.bytes }, 'cleaned up');
    try {
      await runs.save({ job, cause, ...figures, outcome, error: reason });
    } catch (error) {
      logger.error({ err: error, job }, 'the row of a cleaning run was not stored');
    }
  }

  #isNewTrouble(text: string): boolean {
    const trouble = this.#trouble;
    return trouble?.text !== text || Math.abs(this.options.clock.now() - trouble.ts) >= REPEAT_MS;
  }
}
