import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE_MS, type Clock } from '../base/clock.js';
import { ApiError, stopping } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import { ActiveRun } from './active-run.js';
import type { JobLeaseStore } from './job-lease-store.js';
import { LatestRuns } from './latest-runs.js';
import {
  errorText,
  reasonSentence,
  type JobCause,
  type JobRun,
  type RunCounts,
  type RunReport,
} from './job-run.js';
import type { JobRunStore, RunState } from './job-run-store.js';
import { RepeatedFailureFilter } from './repeated-failure-filter.js';
import { RunCancelled, RunSkipped, type RunProgress } from './run-progress.js';

export interface JobRunnerOptions {
  store: JobRunStore;
  leases: JobLeaseStore;
  clock: Clock;
  logger: Logger;
  /** Name of this instance, kept with its runs. */
  instance: string;
  /** Hears of each run that is over, for metrics. */
  onFinished?(job: string, report: RunReport): void;
}

/**
 * The work of a run. It counts what it does and says how far it is in `progress`, asks `progress.checkpoint()`
 * between batches, and heeds `signal`. Counts it resolves to are added. Throws `RunSkipped` to do nothing.
 */
export type RunWork = (run: { progress: RunProgress; signal: AbortSignal }) => Promise<RunCounts | void>;

/** A run to be started. */
export interface RunRequest {
  job: string;
  cause: JobCause;
  /** Name of the operator who asks; `null` or absent when none does. */
  actor?: string | null;
  work: RunWork;
}

/** A run that goes on in the background. */
export interface StartedRun {
  run: JobRun;
  /** How far it is now. */
  state: () => RunState;
  /** What became of it, when it is over. Never rejects. */
  finished: Promise<RunReport>;
}

const FLUSH_MS = 500;
/** Every so many flushes a sign of life, whether anything changed or not: each 5 s. */
const FLUSHES_PER_HEARTBEAT = 10;
/** A run without a sign of life for so long has died with its process. */
const SILENCE_MS = MINUTE_MS;

/**
 * Runs jobs, never two of the same job at once: in this process by a table, among processes by a lease. Runs an
 * operator asked for always leave a row, from their first moment on; others when they did something or failed.
 */
export class JobRunner {
  readonly #active = new Map<string, { run: ActiveRun; finished: Promise<RunReport> }>();
  readonly latest = new LatestRuns();
  readonly #repeatedFailures = new RepeatedFailureFilter();
  #timer: NodeJS.Timeout | null = null;
  #flushes = 0;
  #closed = false;

  constructor(private readonly options: JobRunnerOptions) {}

  /** Whether this process runs the job now. */
  isRunning(job: string): boolean {
    return this.#active.has(job);
  }

  /**
   * Starts a run and resolves as soon as its row exists; the work goes on in the background.
   * @throws ApiError 409 `already_running` when the job runs here or elsewhere; 503 when the service stops.
   */
  async start(request: RunRequest): Promise<StartedRun> {
    for (let due = this.#dueRun(request.job); due !== null; due = this.#dueRun(request.job)) {
      await Promise.race([due, sleep(FLUSH_MS, undefined, { ref: false })]);
    }
    const run = this.#open(request);
    const opening = this.#openRow(run);
    const finished = opening.then(
      () => this.#execute(run, request.work),
      (error: unknown) => this.#giveUp(run, error),
    );
    this.#active.set(request.job, { run, finished });
    const row = await opening;
    return { run: row, state: () => run.state, finished };
  }

  /** Runs work that is due, or joins the run under way. Never rejects: what went wrong is in the report. */
  runDue(request: RunRequest): Promise<RunReport> {
    const active = this.#active.get(request.job);
    if (active !== undefined) return active.finished;
    if (this.#closed) return Promise.resolve(this.#skippedReport('stopping'));
    const run = this.#open(request);
    const finished = this.#execute(run, request.work);
    this.#active.set(request.job, { run, finished });
    return finished;
  }

  /** Counts as a run that went well and did nothing. */
  noteIdle(job: string): void {
    const startedTs = this.options.clock.now();
    const report = { outcome: 'ok', reason: null, counts: {}, bytes: 0, startedTs, durationMs: 0 } as const;
    this.latest.note(job, report);
    this.options.onFinished?.(job, report);
  }

  /**
   * Asks a run to end, wherever it runs; another instance hears of it within seconds.
   * Resolves to whether there was still something to end.
   */
  async cancel(runId: number): Promise<boolean> {
    const isUnderWay = await this.options.store.requestCancel(runId, this.options.clock.now());
    for (const { run } of this.#active.values()) if (run.row?.id === runId) run.end('cancelled');
    return isUnderWay;
  }

  /** Closes the rows of runs whose processes have ended. Call before runs are shown. */
  async closeDead(): Promise<void> {
    await this.options.store.closeDead(this.options.clock.now() - SILENCE_MS);
  }

  /** For the only server of a database, at its start: all runs but those of commands died with its last process. */
  async takeOver(commandInstance: string): Promise<void> {
    const { store, leases, clock } = this.options;
    await store.closeDead(clock.now() - SILENCE_MS);
    await store.closeAllBut(commandInstance);
    const running = await store.listRunning();
    await leases.endAllBut(running.map(({ job }) => job));
  }

  /** Signs of life of all runs of this process, at once; a timer does it every few seconds. Never rejects. */
  async heartbeat(): Promise<void> {
    await this.#flush(true);
  }

  /** Ends all runs and resolves when they are over; no more can be started. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { run } of this.#active.values()) run.end('stopping');
    await Promise.all([...this.#active.values()].map(({ finished }) => finished));
    this.#stopTimer();
  }

  /**
   * The run of a job that is under way because it was due; `null` when none is. It mostly ends at once without doing
   * anything, and an operator need not hear of it, nor of one whose work has ended; others throw `already_running`.
   */
  #dueRun(job: string): Promise<unknown> | null {
    const active = this.#active.get(job);
    if (active === undefined) return null;
    const { row, options, isOver } = active.run;
    if (isOver) return active.finished;
    if (row !== null || options.cause === 'operator') throw alreadyRunning(row);
    return active.finished;
  }

  #open({ job, cause, actor }: RunRequest): ActiveRun {
    if (this.#closed) throw stopping();
    const { store, leases, clock, instance } = this.options;
    this.#timer ??= setInterval(() => void this.#tick(), FLUSH_MS).unref();
    const startedTs = clock.now();
    return new ActiveRun({
      job,
      cause,
      instance,
      startedTs,
      store,
      leases,
      actor: actor ?? null,
    });
  }

  async #openRow(run: ActiveRun): Promise<JobRun> {
    if (!(await run.takeLease())) throw alreadyRunning(null);
    return run.createRow();
  }

  /** A run that did not get its lease or its row: those who joined it learn why. */
  async #giveUp(run: ActiveRun, error: unknown): Promise<RunReport> {
    const isElsewhere = error instanceof ApiError && error.reason === 'already_running';
    const report: RunReport = isElsewhere
      ? this.#skippedReport('running_elsewhere')
      : { ...this.#skippedReport('running_elsewhere'), outcome: 'failed', reason: errorText(error) };
    const last = this.latest.last(run.options.job);
    await this.#close(run, report, null);
    // What was refused says nothing about how the job stands.
    if (isElsewhere) this.latest.restore(run.options.job, last);
    return report;
  }

  async #execute(run: ActiveRun, work: RunWork): Promise<RunReport> {
    const ending = await this.#attempt(run, work);
    const report: RunReport = {
      ...ending,
      counts: run.progress.counts,
      bytes: run.progress.bytes,
      startedTs: run.options.startedTs,
      durationMs: Math.round(performance.now() - run.startedMs),
    };
    await this.#close(run, report, this.#news(run, report));
    return report;
  }

  async #attempt(run: ActiveRun, work: RunWork): Promise<Pick<RunReport, 'outcome' | 'reason'>> {
    const { progress } = run;
    const { job, cause } = run.options;
    try {
      if (!run.isHolder && !(await run.takeLease())) throw new RunSkipped('running_elsewhere');
      const counts = await work({ progress, signal: progress.signal });
      for (const [name, count] of Object.entries(counts ?? {})) progress.add(name, count);
      const error = progress.fileErrorText;
      return { outcome: error === null ? 'ok' : 'failed', reason: error };
    } catch (error) {
      if (error instanceof RunSkipped) return { outcome: 'skipped', reason: error.reason };
      if (error instanceof RunCancelled || progress.signal.aborted) {
        const reason = error instanceof RunCancelled ? error.reason : String(progress.signal.reason);
        const wasSeen = progress.didSomething || cause === 'operator';
        return { outcome: wasSeen ? 'cancelled' : 'skipped', reason };
      }
      const reason = errorText(error);
      const isNew = this.#repeatedFailures.isNew(job, reason, this.options.clock.now());
      if (isNew) this.options.logger.error({ err: error, job }, 'a job failed');
      return { outcome: 'failed', reason };
    }
  }

  /** What to add to the reason of a run that is worth a row and a log line; `null` when it is not. */
  #news(run: ActiveRun, { outcome, reason, startedTs }: RunReport): string | null {
    const { job, cause } = run.options;
    if (outcome === 'skipped') return run.row === null ? null : '';
    const remark = this.#repeatedFailures.note(job, reason, startedTs);
    return remark ?? (run.progress.didSomething || cause === 'operator' ? '' : null);
  }

  async #close(run: ActiveRun, report: RunReport, remark: string | null): Promise<void> {
    const { logger } = this.options;
    const { job } = run.options;
    const { outcome, reason, counts, bytes, durationMs } = report;
    if (remark !== null) logger.info({ job, outcome, reason, ...counts, bytes }, 'job finished');
    const progress = outcome === 'ok' ? 1 : run.progress.fraction;
    const message = reason === null ? null : `${reasonSentence(reason)}${remark ?? ''}`;
    try {
      await run.close({ outcome, message, counts, bytes, durationMs, progress }, remark !== null);
    } catch (error) {
      logger.error({ err: error, job }, 'the end of a run was not stored');
    }
    this.latest.note(job, report);
    this.options.onFinished?.(job, report);
    this.#active.delete(job);
    if (this.#active.size === 0) this.#stopTimer();
  }

  async #tick(): Promise<void> {
    this.#flushes += 1;
    await this.#flush(this.#flushes % FLUSHES_PER_HEARTBEAT === 0);
  }

  async #flush(isHeartbeat: boolean): Promise<void> {
    const nowTs = this.options.clock.now();
    for (const { run } of this.#active.values()) {
      try {
        await run.flush(nowTs, isHeartbeat);
      } catch (error) {
        this.options.logger.debug({ err: error, job: run.options.job }, 'progress of a run was not stored');
      }
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #skippedReport(reason: string): RunReport {
    const startedTs = this.options.clock.now();
    return { outcome: 'skipped', reason, counts: {}, bytes: 0, startedTs, durationMs: 0 };
  }
}

function alreadyRunning(row: JobRun | null): ApiError {
  return new ApiError(409, 'This job is running already', {
    reason: 'already_running',
    ...(row === null ? {} : { detail: `run ${row.id}` }),
  });
}
