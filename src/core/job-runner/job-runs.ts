import type { JobCause, RunReport, RunWork, StartedRun } from './job-run.js';
import type { JobRunner } from './job-runner.js';

/** The runs of one job: those that are due, and those that operators ask for. */
export class JobRuns {
  constructor(
    private readonly runner: JobRunner,
    readonly job: string,
    /** The work of a run, with the time it starts, POSIX ms. */
    private readonly workAt: (nowTs: number, cause: JobCause) => RunWork,
  ) {}

  /** The latest run of this process, also when it left no row; `null` before the first. */
  get last(): RunReport | null {
    return this.runner.latest.last(this.job);
  }

  /** When a run of this process last ended well, POSIX ms; `null`: none yet. */
  get lastOkTs(): number | null {
    return this.runner.latest.lastOkTs(this.job);
  }

  /** Runs, or joins the run under way; never rejects. */
  runDue(nowTs: number): Promise<RunReport> {
    return this.runner.runDue({ job: this.job, cause: 'job', work: this.workAt(nowTs, 'job') });
  }

  /** A run that was due and would have had nothing to do. */
  noteIdle(): void {
    this.runner.noteIdle(this.job);
  }

  /** Runs for an operator, in the background. Rejects with 409 `already_running`. */
  start(nowTs: number, actor: string): Promise<StartedRun> {
    const work = this.workAt(nowTs, 'operator');
    return this.runner.start({ job: this.job, cause: 'operator', actor, work });
  }
}
