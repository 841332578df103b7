import { MINUTE_MS, SECOND_MS, HOUR_MS, type Clock } from '../base/clock.js';
import { ApiError, stopping } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import {
  errorText,
  reasonSentence,
  type JobRun,
  type RunReport,
  type RunRequest,
  type StartedRun,
} from './job-run.js';
import type { JobRunStore } from './job-run-store.js';
import type { JobStore } from './job-store.js';
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
  row: JobRun;
  startedMs: number;
  progress: RunProgress;
  ending: AbortController;
  isOver: boolean;
  /** A heartbeat that is being written. */
  beating: Promise<void> | null;
  finished: Promise<RunReport>;
}

/** How often a run stores its progress and renews its lease. */
const HEARTBEAT_MS = 2 * SECOND_MS;
/** A run without a heartbeat for so long has died with its process. */
const SILENCE_MS = MINUTE_MS;

const NOTHING = { counts: {}, bytes: 0, durationMs: 0 };

/**
 * Runs jobs, never two of the same job at once: in this process by a map, among processes by a lease. Each run has a
 * row from its first moment on. Rows of due runs that did nothing are removed again.
 */
export class JobRunner {
  readonly #runs = new Map<string, Promise<ActiveRun>>();
  readonly latest = new LatestRuns();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(private readonly options: JobRunnerOptions) {}

  /** Whether this process runs the job now. */
  isRunning(job: string): boolean {
    return this.#runs.has(job);
  }

  /**
   * Starts a run and resolves as soon as its row exists; the work goes on in the background.
   * @throws ApiError 409 `already_running` when the job runs here or elsewhere; 503 when the service stops.
   */
  async start(request: RunRequest): Promise<StartedRun> {
    const opening = this.#runs.get(request.job);
    if (opening === undefined) {
      const { row, finished } = await this.#open(request);
      return { run: row, finished };
    }
    const active = await opening.catch(() => null);
    if (active !== null) throw alreadyRunning(active.row);
    // That one did not begin, and another may have been started meanwhile.
    return this.start(request);
  }

  /** Runs work that is due, or joins the run under way. Never rejects: what went wrong is in the report. */
  async runDue(request: RunRequest): Promise<RunReport> {
    const startedTs = this.options.clock.now();
    try {
      const run = await (this.#runs.get(request.job) ?? this.#open(request));
      return await run.finished;
    } catch (error) {
      if (error instanceof ApiError) {
        const reason = error.reason === 'already_running' ? 'running_elsewhere' : 'stopping';
        return this.#note(request.job, { outcome: 'skipped', reason, startedTs, ...NOTHING });
      }
      const reason = errorText(error);
      if (this.latest.isNewFailure(request.job, reason, startedTs))
        this.options.logger.error({ err: error, job: request.job }, 'a job could not be started');
      return this.#note(request.job, { outcome: 'failed', reason, startedTs, ...NOTHING });
    }
  }

  /** Counts as a run that went well and did nothing. */
  noteIdle(job: string): RunReport {
    return this.#note(job, { outcome: 'ok', reason: null, startedTs: this.options.clock.now(), ...NOTHING });
  }

  /**
   * Asks a run to end, wherever it runs; another instance hears of it within seconds.
   * Resolves to whether there was still something to end.
   */
  async cancel(runId: number): Promise<boolean> {
    const isUnderWay = await this.options.runs.requestCancel(runId, this.options.clock.now());
    for (const run of await this.#active()) if (run.row.id === runId) run.ending.abort('cancelled');
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

  /** Stores the progress of all runs of this process, and checks whether they have to end. Never rejects. */
  async heartbeat(): Promise<void> {
    for (const run of await this.#active()) {
      if (run.beating !== null || run.isOver) continue;
      run.beating = this.#beat(run).catch((error: unknown) => {
        this.options.logger.debug({ err: error, job: run.job }, 'progress of a run was not stored');
      });
      await run.beating;
      run.beating = null;
    }
  }

  /** Ends all runs and resolves when they are over; no more can be started. */
  async close(): Promise<void> {
    this.#closed = true;
    const active = await this.#active();
    for (const { ending } of active) ending.abort('stopping');
    await Promise.all(active.map(({ finished }) => finished));
  }

  async #active(): Promise<ActiveRun[]> {
    const opened = await Promise.allSettled(this.#runs.values());
    return opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  #open(request: RunRequest): Promise<ActiveRun> {
    if (this.#closed) throw stopping();
    this.#timer ??= setInterval(() => void this.heartbeat(), HEARTBEAT_MS).unref();
    const opening = this.#openRow(request).catch((error: unknown) => {
      this.#remove(request.job);
      throw error;
    });
    this.#runs.set(request.job, opening);
    return opening;
  }

  async #openRow(request: RunRequest): Promise<ActiveRun> {
    const { runs, store, clock, instance } = this.options;
    const { job, cause, actor = null } = request;
    if (!(await store.takeLease(job))) throw alreadyRunning(null);
    const startedMs = performance.now();
    const row = await runs
      .create({ job, cause, actor, startedTs: clock.now(), instance })
      .catch(async (error: unknown) => {
        await store.releaseLease(job).catch(() => undefined);
        throw error;
      });
    const ending = new AbortController();
    const progress = new RunProgress(ending.signal, () => store.takeLease(job));
    const run = { ...request, row, startedMs, progress, ending, isOver: false, beating: null };
    return this.#execute(run);
  }

  #execute(run: Omit<ActiveRun, 'finished'>): ActiveRun {
    const finished = Promise.resolve().then(async () => {
      const ending = await this.#attempt(run);
      const { counts, bytes } = run.progress;
      const durationMs = Math.round(performance.now() - run.startedMs);
      const report = { ...ending, counts, bytes, startedTs: run.row.startedTs, durationMs };
      run.isOver = true;
      await run.beating;
      await this.#close(run, report).catch((error: unknown) => {
        this.options.logger.error({ err: error, job: run.job }, 'the end of a run was not stored');
      });
      this.#remove(run.job);
      return this.#note(run.job, report);
    });
    return Object.assign(run, { finished });
  }

  async #attempt({ job, work, progress, cause }: Omit<ActiveRun, 'finished'>) {
    const { signal } = progress;
    try {
      const counts = await work({ progress, signal });
      for (const [name, count] of Object.entries(counts ?? {})) progress.add(name, count);
      const error = progress.fileErrorText;
      return { outcome: error === null ? 'ok' : 'failed', reason: error } as const;
    } catch (error) {
      if (error instanceof RunCancelled || signal.aborted) {
        const reason = error instanceof RunCancelled ? error.reason : String(signal.reason);
        const wasSeen = progress.didSomething || cause === 'operator';
        return { outcome: wasSeen ? 'cancelled' : 'skipped', reason } as const;
      }
      this.options.logger.debug({ err: error, job }, 'a job failed');
      return { outcome: 'failed', reason: errorText(error) } as const;
    }
  }

  /** Stores the end of a run, or removes the row of one that did nothing, and gives the lease back. */
  async #close({ job, cause, row, progress }: Omit<ActiveRun, 'finished'>, report: RunReport): Promise<void> {
    const { runs, store, logger } = this.options;
    const { outcome, reason, startedTs, ...did } = report;
    const isNews = outcome === 'failed' && this.latest.isNewFailure(job, reason ?? '', startedTs);
    try {
      if (!isNews && !progress.didSomething && cause !== 'operator') return await runs.remove(row.id);
      const level = outcome === 'failed' ? 'error' : 'info';
      logger[level]({ job, outcome, reason, ...did.counts, bytes: did.bytes }, 'job finished');
      const fraction = outcome === 'ok' ? 1 : progress.fraction;
      await runs.finish(row, { ...did, outcome, message: reasonSentence(reason), progress: fraction });
    } finally {
      await store.releaseLease(job);
    }
  }

  async #beat({ row, progress, job, ending }: ActiveRun): Promise<void> {
    const { runs, store, clock } = this.options;
    const { counts, bytes, fraction } = progress;
    const isCancelled = await runs.heartbeat(row.id, { counts, bytes, progress: fraction }, clock.now());
    if (isCancelled) ending.abort('cancelled');
    if (!(await store.takeLease(job))) ending.abort('running_elsewhere');
  }

  #note(job: string, report: RunReport): RunReport {
    this.latest.note(job, report);
    this.options.onFinished?.(job, report);
    return report;
  }

  #remove(job: string): void {
    this.#runs.delete(job);
    if (this.#runs.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

function alreadyRunning(row: JobRun | null): ApiError {
  return new ApiError(409, 'This job is already running; wait until it has ended', {
    reason: 'already_running',
    ...(row === null ? {} : { detail: `run ${row.id}` }),
  });
}

/** The same error run after run leaves one row and one log line an hour. */
const REPEAT_MS = HOUR_MS;

/** How the jobs of this process ended lately, those that were skipped each time left out. */
export class LatestRuns {
  readonly #last = new Map<string, RunReport>();
  readonly #ended = new Map<string, RunReport>();
  readonly #logged = new Map<string, { text: string; ts: number }>();

  /** The latest run of a job, also when it left no row; `null` before the first. */
  last(job: string): RunReport | null {
    return this.#last.get(job) ?? null;
  }

  /** The latest run of each job that ended well or failed. */
  ended(): ReadonlyMap<string, RunReport> {
    return this.#ended;
  }

  note(job: string, report: RunReport): void {
    this.#last.set(job, report);
    if (report.outcome === 'ok' || report.outcome === 'failed') this.#ended.set(job, report);
    if (report.outcome === 'ok') this.#logged.delete(job);
  }

  /** Whether an error of a job was not logged within the last hour; texts that differ in numbers are the same. */
  isNewFailure(job: string, error: string, nowTs: number): boolean {
    const text = error.replaceAll(/\d+/g, '0');
    const known = this.#logged.get(job);
    if (known?.text === text && Math.abs(nowTs - known.ts) < REPEAT_MS) return false;
    this.#logged.set(job, { text, ts: nowTs });
    return true;
  }
}
