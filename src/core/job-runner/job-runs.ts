import type { RunReport, StartedRun } from './job-run.js';
import type { JobRunner } from './job-runner.js';
import type { RunProgress } from './run-progress.js';

/** What a job does. Times are POSIX ms. */
export interface JobWork {
  run: (nowTs: number, progress: RunProgress) => Promise<void>;
  /** Whether there is anything to do; asked before runs that are due, since a run writes rows. Absent: always. */
  isDue?: (nowTs: number) => Promise<boolean>;
}

/** The runs of one job: those that are due, and those that operators ask for. */
export class JobRuns {
  constructor(
    private readonly runner: JobRunner,
    readonly job: string,
    private readonly work: JobWork,
  ) {}

  /** The latest run of this process, also when it left no row; `null` before the first. */
  get last(): RunReport | null {
    return this.runner.latest.last(this.job);
  }

  /** Runs, or joins the run under way; never rejects. Nothing to do counts as a run that went well. */
  async runDue(nowTs: number): Promise<RunReport> {
    const { job } = this;
    // When the store cannot say, the run finds that out and reports it once.
    if ((await this.work.isDue?.(nowTs).catch(() => true)) === false) return this.runner.noteIdle(job);
    return this.runner.runDue({ job, cause: 'job', work: ({ progress }) => this.work.run(nowTs, progress) });
  }

  /** Runs for an operator, in the background. Rejects with 409 `already_running`. */
  start(nowTs: number, actor: string): Promise<StartedRun> {
    const { job } = this;
    const work = ({ progress }: { progress: RunProgress }) => this.work.run(nowTs, progress);
    return this.runner.start({ job, cause: 'operator', actor, work });
  }
}
