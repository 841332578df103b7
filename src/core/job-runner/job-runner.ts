import { SECOND_MS, HOUR_MS, type Clock } from '../base/clock.js';
import { ApiError, stopping } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import {
  errorText,
  reasonSentence,
  type JobRun,
  type JobWork,
  type RunReport,
  type StartedRun,
} from './job-run.js';
import type { JobStore } from './job-store.js';
import { RunProgress } from './run-progress.js';

export interface JobRunnerOptions {
  store: JobStore;
  clock: Clock;
  logger: Logger;
  /** Name of this instance, kept with its runs. */
  instance: string;
  /** Called after each run, for metrics. */
  onFinished?(job: string, report: RunReport): void;
}

interface ActiveRun {
  row: JobRun;
  progress: RunProgress;
  ending: AbortController;
  /** Never rejects. */
  finished: Promise<RunReport>;
}

/** How often a run stores its progress and renews its lease. */
const HEARTBEAT_MS = 2 * SECOND_MS;

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
   * Starts a run for an operator and resolves as soon as its row exists; the work goes on in the background.
   * @throws ApiError 409 `already_running` when the job runs here or elsewhere; 503 when the service stops.
   */
  async start({ actor, ...job }: JobWork & { actor: string }): Promise<StartedRun> {
    const { row, finished } = await this.#open(job, actor);
    return { run: row, finished };
  }

  /** Runs a job that is due. Never rejects: what went wrong is in the report. Nothing to do counts as going well. */
  async runDue(due: JobWork): Promise<RunReport> {
    const { job, isDue } = due;
    const startedTs = this.options.clock.now();
    const nothing = { startedTs, counts: {}, bytes: 0 };
    try {
      if ((await isDue?.(startedTs)) === false)
        return this.#note(job, { ...nothing, outcome: 'ok', reason: null });
      return await (
        await this.#open(due, null)
      ).finished;
    } catch (error) {
      if (error instanceof ApiError) {
        const reason = error.reason === 'already_running' ? 'running_elsewhere' : 'stopping';
        return this.#note(job, { ...nothing, outcome: 'skipped', reason });
      }
      const reason = errorText(error);
      if (this.latest.isNewFailure(job, reason, startedTs))
        this.options.logger.error({ err: error, job }, 'a job could not be started');
      return this.#note(job, { ...nothing, outcome: 'failed', reason });
    }
  }

  /** Asks a run to end, wherever it runs. Resolves to whether there was still something to end. */
  async cancel(runId: number): Promise<boolean> {
    const isUnderWay = await this.options.store.requestCancel(runId);
    for (const run of await this.#active()) if (run.row.id === runId) run.ending.abort('cancelled');
    return isUnderWay;
  }

  /** Stores the progress of all runs of this process, and checks whether they have to end. Never rejects. */
  async heartbeat(): Promise<void> {
    const { store, logger } = this.options;
    for (const { row, progress, ending } of await this.#active()) {
      const { counts, bytes, fraction } = progress;
      try {
        const isCancelled = await store.heartbeat(row.id, { counts, bytes, progress: fraction });
        if (isCancelled) ending.abort('cancelled');
        else if (!(await store.renewLease(row.job))) ending.abort('running_elsewhere');
      } catch (error) {
        logger.debug({ err: error, job: row.job }, 'progress of a run was not stored');
      }
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

  async #open(work: JobWork, actor: string | null): Promise<ActiveRun> {
    const { job } = work;
    if (this.#closed) throw stopping();
    if (this.#runs.has(job)) throw alreadyRunning();
    this.#timer ??= setInterval(() => void this.heartbeat(), HEARTBEAT_MS).unref();
    const opening = this.#openRow(work, actor);
    this.#runs.set(job, opening);
    return opening.catch((error: unknown) => {
      this.#remove(job);
      throw error;
    });
  }

  async #openRow(work: JobWork, actor: string | null): Promise<ActiveRun> {
    const { store, instance } = this.options;
    const { job } = work;
    if (!(await store.takeLease(job))) throw alreadyRunning();
    const cause = actor === null ? 'job' : 'operator';
    const row = await store.createRun({ job, cause, actor, instance }).catch(async (error: unknown) => {
      await store.releaseLease(job).catch(() => undefined);
      throw error;
    });
    const ending = new AbortController();
    const run = { row, progress: new RunProgress(ending.signal), ending };
    return { ...run, finished: this.#execute(work, run) };
  }

  async #execute({ job, work }: JobWork, run: Omit<ActiveRun, 'finished'>): Promise<RunReport> {
    const { clock, logger } = this.options;
    const ending = await this.#attempt(run, () => work(run.progress, clock.now()));
    const { counts, bytes } = run.progress;
    const report = { ...ending, counts, bytes, startedTs: run.row.startedTs };
    await this.#close(run, report).catch((error: unknown) => {
      logger.error({ err: error, job }, 'the end of a run was not stored');
    });
    this.#remove(job);
    return this.#note(job, report);
  }

  async #attempt(
    { row: { job, cause }, progress }: Omit<ActiveRun, 'finished'>,
    work: () => Promise<void>,
  ): Promise<Pick<RunReport, 'outcome' | 'reason'>> {
    const { signal } = progress;
    try {
      await work();
      const error = progress.fileErrorText;
      return { outcome: error === null ? 'ok' : 'failed', reason: error };
    } catch (error) {
      if (signal.aborted) {
        const wasSeen = progress.didSomething || cause === 'operator';
        return { outcome: wasSeen ? 'cancelled' : 'skipped', reason: String(signal.reason) };
      }
      this.options.logger.debug({ err: error, job }, 'a job failed');
      return { outcome: 'failed', reason: errorText(error) };
    }
  }

  /** Stores the end of a run, or removes the row of one that did nothing, and gives the lease back. */
  async #close({ row, progress }: Omit<ActiveRun, 'finished'>, report: RunReport): Promise<void> {
    const { store, logger } = this.options;
    const { id, job, cause } = row;
    const { outcome, reason, startedTs, counts, bytes } = report;
    const isNews = outcome === 'failed' && this.latest.isNewFailure(job, reason ?? '', startedTs);
    try {
      if (!isNews && !progress.didSomething && cause !== 'operator') return await store.removeRun(id);
      logger[outcome === 'failed' ? 'error' : 'info'](
        { job, outcome, reason, ...counts, bytes },
        'job finished',
      );
      const fraction = outcome === 'ok' ? 1 : progress.fraction;
      await store.finishRun(id, {
        counts,
        bytes,
        outcome,
        message: reasonSentence(reason),
        progress: fraction,
      });
    } finally {
      await store.releaseLease(job);
    }
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

const alreadyRunning = (): ApiError =>
  new ApiError(409, 'This job is already running; wait until it has ended', { reason: 'already_running' });

/** The same error run after run leaves one row and one log line an hour. */
const REPEAT_MS = HOUR_MS;

/** How the jobs of this process ended lately. */
export class LatestRuns {
  /** The latest run of each job, also when it left no row. */
  readonly last = new Map<string, RunReport>();
  /** The latest run of each job that ended well or failed. */
  readonly ended = new Map<string, RunReport>();
  readonly #logged = new Map<string, { text: string; ts: number }>();

  note(job: string, report: RunReport): void {
    this.last.set(job, report);
    if (report.outcome === 'ok' || report.outcome === 'failed') this.ended.set(job, report);
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
