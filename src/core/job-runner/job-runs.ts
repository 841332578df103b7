import type { RunReport, StartedRun } from './job-run.js';
import type { JobRunner } from './job-runner.js';
import type { RunProgress } from './run-progress.js';

/** The runs of one job: those that are due, and those that operators ask for. */
export class JobRuns {
  constructor(
    private readonly runner: JobRunner,
    readonly job: string,
    /** The work of a run that starts at this time, POSIX ms. */
    private readonly work: (nowTs: number, progress: RunProgress) => Promise<void>,
  ) {}

  /** The latest run of this process, also when it left no row; `null` before the first. */
  get last(): RunReport | null {
    return this.runner.latest.last(this.job);
  }

  /** Runs, or joins the run under way; never rejects. */
  runDue(nowTs: number): Promise<RunReport> {
    const { job } = this;
    return this.runner.runDue({ job, cause: 'job', work: ({ progress }) => this.work(nowTs, progress) });
  }

  /** A run that was due and would have had nothing to do. */
  noteIdle(): void {
    this.runner.noteIdle(this.job);
  }

  /** Runs for an operator, in the background. Rejects with 409 `already_running`. */
  start(nowTs: number, actor: string): Promise<StartedRun> {
    const { job } = this;
    const work = ({ progress }: { progress: RunProgress }) => this.work(nowTs, progress);
    return this.runner.start({ job, cause: 'operator', actor, work });
  }
}
