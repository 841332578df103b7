import type { RunReport, RunWork, StartedRun } from './job-run.js';
import type { JobRunner } from './job-runner.js';

/** The runs of one job: those that are due, and those that operators ask for. */
export class JobRuns {
  constructor(
    private readonly runner: JobRunner,
    readonly job: string,
    /** The work of a run, with the time it starts, POSIX ms. */
    private readonly workAt: (nowTs: number) => RunWork,
  ) {}

  /** The latest run of this process, also when it left no row; `null` before the first. */
  get last(): RunReport | null {
    return this.runner.latest.last(this.job);
  }

  /** Runs, or joins the run under way; never rejects. */
  runDue(nowTs: number): Promise<RunReport> {
    return this.runner.runDue({ job: this.job, cause: 'job', work: this.workAt(nowTs) });
  }

  /** A run that was due and would have had nothing to do. */
  noteIdle(): void {
    this.runner.noteIdle(this.job);
  }

  /** Runs for an operator, in the background. Rejects with 409 `already_running`. */
  start(nowTs: number, actor: string): Promise<StartedRun> {
    return this.runner.start({ job: this.job, cause: 'operator', actor, work: this.workAt(nowTs) });
  }
}
