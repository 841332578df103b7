import type { JobCause, JobRun } from './job-run.js';
import type { JobLeaseStore } from './job-lease-store.js';
import type { JobRunStore, NewRun, RunEnd, RunState } from './job-run-store.js';
import { RunProgress } from './run-progress.js';

export interface ActiveRunOptions {
  job: string;
  cause: JobCause;
  actor: string | null;
  instance: string;
  startedTs: number;
  store: JobRunStore;
  leases: JobLeaseStore;
}

/** A run of this process: its right to run, its row, and its signs of life. */
export class ActiveRun {
  readonly progress: RunProgress;
  readonly startedMs = performance.now();
  readonly #ending = new AbortController();
  #row: JobRun | null = null;
  #isHolder = false;
  #written = '';
  #writing: Promise<void> | null = null;
  #over = false;

  constructor(readonly options: ActiveRunOptions) {
    this.progress = new RunProgress(this.#ending.signal, () => this.takeLease());
  }

  /** `null` while it has left none. */
  get row(): JobRun | null {
    return this.#row;
  }

  /** Whether this process has the right to run. */
  get isHolder(): boolean {
    return this.#isHolder;
  }

  /** Asks the work to end; `reason` is a key of `RUN_REASONS`. */
  end(reason: string): void {
    this.#ending.abort(reason);
  }

  /** Takes or renews the right to run; `false`: another process has it. */
  async takeLease(): Promise<boolean> {
    this.#isHolder = await this.options.leases.take(this.options.job);
    return this.#isHolder;
  }

  /** Makes the row of a run under way. */
  async createRow(): Promise<JobRun> {
    this.#row = await this.options.store.create(this.#newRun());
    return this.#row;
  }

  /**
   * Writes progress when it changed; with `isHeartbeat` a sign of life in any case, and looks whether the run has to
   * end. A run that nobody asked for gets its row when it has done something. Skipped while a write is under way.
   */
  async flush(nowTs: number, isHeartbeat: boolean): Promise<void> {
    if (this.#writing !== null || this.#over) return;
    this.#writing = this.#write(nowTs, isHeartbeat).finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  /** Leaves the final row, if there is one or has to be one, and gives the lease back. */
  async close(end: RunEnd, leavesRow: boolean): Promise<void> {
    this.#over = true;
    // The caller of that writing gets its failure.
    await Promise.allSettled([this.#writing]);
    try {
      if (this.#row !== null) await this.options.store.finish(this.#row, end);
      else if (leavesRow) await this.options.store.saveFinished(this.#newRun(), end);
    } finally {
      if (this.#isHolder) await this.options.leases.release(this.options.job);
    }
  }

  /** Whether the work has ended and only its row and lease are left to be closed. */
  get isOver(): boolean {
    return this.#over;
  }

  get state(): RunState {
    const { counts, bytes, fraction } = this.progress;
    return { counts, bytes, progress: fraction };
  }

  async #write(nowTs: number, isHeartbeat: boolean): Promise<void> {
    const text = JSON.stringify(this.state);
    if (this.#row === null) {
      if (this.progress.didSomething) await this.createRow();
    } else if (isHeartbeat || text !== this.#written) {
      const mustEnd = await this.options.store.heartbeat(this.#row.id, this.state, nowTs);
      if (mustEnd) this.end('cancelled');
    }
    this.#written = text;
    if (isHeartbeat && this.#isHolder && !(await this.takeLease())) this.end('running_elsewhere');
  }

  #newRun(): NewRun {
    const { job, cause, actor, instance, startedTs } = this.options;
    return { job, cause, actor, instance, startedTs, ...this.state };
  }
}
