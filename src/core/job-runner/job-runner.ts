import { MINUTE_MS, SECOND_MS, type Clock } from '../base/clock.js';
import { ApiError, stopping } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import {
  errorText,
  reasonSentence,
  type JobRun,
  type RunReport,
  type RunRequest,
  type RunState,
  type StartedRun,
} from './job-run.js';
import type { JobRunStore, NewRun } from './job-run-store.js';
import type { JobStore } from './job-store.js';
import { LatestRuns } from './latest-runs.js';
import { RunCancelled, RunProgress } from './run-progress.js';

export interface JobRunnerOptions {
  runs: JobRunStore;
  store: JobStore;
  clock: Clock;
  logger: Logger;
  /** Name of this instance, kept with its runs. */
  instance: string;
  /** Called after each run, for metrics. */
  onFinished?(job: string, report: RunReport): void;
}

interface ActiveRun extends RunRequest {
  startedTs: number;
  startedMs: number;
  progress: RunProgress;
  ending: AbortController;
  /** `null` while it has left none. */
  row: JobRun | null;
  isHolder: boolean;
  isOver: boolean;
  writing: Promise<void> | null;
  finished: Promise<RunReport>;
}

/** How often a run stores its progress and renews its lease. */
const HEARTBEAT_MS = 2 * SECOND_MS;
/** A run without a sign of life for so long has died with its process. */
const SILENCE_MS = MINUTE_MS;

/**
 * Runs jobs, never two of the same job at once: in this process by a map, among processes by a lease. Runs that an
 * operator asked for always leave a row, from their first moment on; others when they did something or failed.
 */
export class JobRunner {
  readonly #active = new Map<string, ActiveRun>();
  readonly latest = new LatestRuns();
  #timer: NodeJS.Timeout | null = null;
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
    for (let due = this.#active.get(request.job); due !== undefined; due = this.#active.get(request.job)) {
      // A run that was due mostly ends at once without doing anything.
      if (!due.isOver && (due.row !== null || due.cause === 'operator')) throw alreadyRunning(due.row);
      await due.finished;
    }
    if (this.#closed) throw stopping();
    let opened = (): void => undefined;
    const opening = new Promise<void>((resolve) => (opened = resolve));
    const run = this.#open(request, opening);
    try {
      if (!(await this.#takeLease(run))) throw alreadyRunning(null);
      run.row = await this.options.runs.create(this.#newRun(run));
      return { run: run.row, finished: run.finished };
    } catch (error) {
      run.ending.abort(error instanceof ApiError ? 'running_elsewhere' : errorText(error));
      throw error;
    } finally {
      opened();
    }
  }

  /** Runs work that is due, or joins the run under way. Never rejects: what went wrong is in the report. */
  runDue(request: RunRequest): Promise<RunReport> {
    const active = this.#active.get(request.job);
    if (active !== undefined) return active.finished;
    if (!this.#closed) return this.#open(request, Promise.resolve()).finished;
    const startedTs = this.options.clock.now();
    const nothing = { counts: {}, bytes: 0, startedTs, durationMs: 0 };
    return Promise.resolve({ outcome: 'skipped', reason: 'stopping', ...nothing });
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
    const isUnderWay = await this.options.runs.requestCancel(runId, this.options.clock.now());
    for (const run of this.#active.values()) if (run.row?.id === runId) run.ending.abort('cancelled');
    return isUnderWay;
  }

  /** Closes the rows of runs whose processes have ended. Call before runs are shown. */
  async closeDead(): Promise<void> {
    await this.options.runs.closeDead(this.options.clock.now() - SILENCE_MS);
  }

  /** For the only server of a database, at its start: all runs died with its last process. */
  async takeOver(): Promise<void> {
    await this.options.runs.closeDead();
    await this.options.store.endLeases();
  }

  /** Stores the progress of all runs of this process, and looks whether they have to end. Never rejects. */
  async heartbeat(): Promise<void> {
    for (const run of this.#active.values()) {
      if (run.writing !== null || run.isOver) continue;
      run.writing = this.#beat(run).catch((error: unknown) => {
        this.options.logger.debug({ err: error, job: run.job }, 'progress of a run was not stored');
      });
      await run.writing;
      run.writing = null;
    }
  }

  /** Ends all runs and resolves when they are over; no more can be started. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { ending } of this.#active.values()) ending.abort('stopping');
    await Promise.all([...this.#active.values()].map(({ finished }) => finished));
    this.#stopTimer();
  }

  #open(request: RunRequest, opening: Promise<void>): ActiveRun {
    this.#timer ??= setInterval(() => void this.heartbeat(), HEARTBEAT_MS).unref();
    const ending = new AbortController();
    const run: ActiveRun = {
      ...request,
      startedTs: this.options.clock.now(),
      startedMs: performance.now(),
      ending,
      progress: new RunProgress(ending.signal, () => this.#takeLease(run)),
      row: null,
      isHolder: false,
      isOver: false,
      writing: null,
      finished: opening.then(() => this.#execute(run)),
    };
    this.#active.set(request.job, run);
    return run;
  }

  async #takeLease(run: ActiveRun): Promise<boolean> {
    run.isHolder = await this.options.store.takeLease(run.job);
    return run.isHolder;
  }

  async #execute(run: ActiveRun): Promise<RunReport> {
    const ending = await this.#attempt(run);
    const { counts, bytes } = run.progress;
    const durationMs = Math.round(performance.now() - run.startedMs);
    const report: RunReport = { ...ending, counts, bytes, startedTs: run.startedTs, durationMs };
    const { job } = run;
    try {
      await this.#close(run, report);
    } catch (error) {
      this.options.logger.error({ err: error, job }, 'the end of a run was not stored');
    }
    this.latest.note(job, report);
    this.options.onFinished?.(job, report);
    this.#active.delete(job);
    if (this.#active.size === 0) this.#stopTimer();
    return report;
  }

  async #attempt(run: ActiveRun): Promise<Pick<RunReport, 'outcome' | 'reason'>> {
    const { progress, cause } = run;
    try {
      if (cause === 'operator' && run.row === null)
        return { outcome: 'skipped', reason: String(progress.signal.reason) };
      if (!run.isHolder && !(await this.#takeLease(run)))
        return { outcome: 'skipped', reason: 'running_elsewhere' };
      const counts = await run.work({ progress, signal: progress.signal });
      for (const [name, count] of Object.entries(counts ?? {})) progress.add(name, count);
      const error = progress.fileErrorText;
      return { outcome: error === null ? 'ok' : 'failed', reason: error };
    } catch (error) {
      if (error instanceof RunCancelled || progress.signal.aborted) {
        const reason = error instanceof RunCancelled ? error.reason : String(progress.signal.reason);
        const wasSeen = progress.didSomething || cause === 'operator';
        return { outcome: wasSeen ? 'cancelled' : 'skipped', reason };
      }
      this.options.logger.debug({ err: error, job: run.job }, 'a job failed');
      return { outcome: 'failed', reason: errorText(error) };
    }
  }

  /** Leaves the final row, if there is one or has to be one, and gives the lease back. */
  async #close(run: ActiveRun, report: RunReport): Promise<void> {
    run.isOver = true;
    await run.writing;
    const { runs, store, logger } = this.options;
    const { job, progress } = run;
    const { outcome, reason, startedTs, ...did } = report;
    const isNews =
      outcome === 'failed'
        ? this.latest.isNewFailure(job, reason ?? '', startedTs) || progress.didSomething
        : outcome !== 'skipped' && progress.didSomething;
    try {
      if (isNews || run.row !== null) {
        const level = outcome === 'failed' ? 'error' : 'info';
        logger[level]({ job, outcome, reason, ...did.counts, bytes: did.bytes }, 'job finished');
        const fraction = outcome === 'ok' ? 1 : progress.fraction;
        const end = { ...did, outcome, message: reasonSentence(reason), progress: fraction };
        if (run.row === null) await runs.saveFinished(this.#newRun(run), end);
        else await runs.finish(run.row, end);
      }
    } finally {
      if (run.isHolder) await store.releaseLease(job);
    }
  }

  #newRun({ job, cause, actor = null, startedTs, progress }: ActiveRun): NewRun {
    return { job, cause, actor, startedTs, instance: this.options.instance, ...stateOf(progress) };
  }

  async #beat(run: ActiveRun): Promise<void> {
    const { runs, clock } = this.options;
    if (run.row !== null) {
      const isCancelled = await runs.heartbeat(run.row.id, stateOf(run.progress), clock.now());
      if (isCancelled) run.ending.abort('cancelled');
    } else if (run.progress.didSomething) {
      // A run that nobody asked for gets its row when it has done something.
      run.row = await runs.create(this.#newRun(run));
    }
    if (run.isHolder && !(await this.#takeLease(run))) run.ending.abort('running_elsewhere');
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

function stateOf({ counts, bytes, fraction }: RunProgress): RunState {
  return { counts, bytes, progress: fraction };
}

function alreadyRunning(row: JobRun | null): ApiError {
  return new ApiError(409, 'This job is running already', {
    reason: 'already_running',
    ...(row === null ? {} : { detail: `run ${row.id}` }),
  });
}
