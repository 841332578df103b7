import type { RunReport } from './job-run.js';

/** How the jobs of this process ended lately. */
export class LatestRuns {
  readonly #last = new Map<string, RunReport>();
  readonly #lastOkTs = new Map<string, number>();
  readonly #failures = new Map<string, RunReport>();

  /** The latest run of a job, also when it left no row; `null` before the first. */
  last(job: string): RunReport | null {
    return this.#last.get(job) ?? null;
  }

  /** When a run of a job last ended well, POSIX ms; `null`: none yet. */
  lastOkTs(job: string): number | null {
    return this.#lastOkTs.get(job) ?? null;
  }

  /** Jobs that have ended, well or not; those that were skipped each time are not among them. */
  ended(): string[] {
    return [...new Set([...this.#lastOkTs.keys(), ...this.#failures.keys()])];
  }

  /** How a job failed that has not ended well since; `null` when it has, or never failed. */
  failure(job: string): RunReport | null {
    return this.#failures.get(job) ?? null;
  }

  /** When a run of a job last ended, well or not, POSIX ms; 0: none yet. */
  endedTs(job: string): number {
    const failure = this.#failures.get(job);
    const failedTs = failure === undefined ? 0 : failure.startedTs + failure.durationMs;
    return Math.max(failedTs, this.#lastOkTs.get(job) ?? 0);
  }

  note(job: string, report: RunReport): void {
    this.#last.set(job, report);
    if (report.outcome === 'failed') this.#failures.set(job, report);
    if (report.outcome !== 'ok') return;
    this.#lastOkTs.set(job, report.startedTs + report.durationMs);
    this.#failures.delete(job);
  }

  /** Takes a run back that says nothing about how the job stands; `last`: the one before. */
  restore(job: string, last: RunReport | null): void {
    if (last === null) this.#last.delete(job);
    else this.#last.set(job, last);
  }
}
