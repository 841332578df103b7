import { HOUR_MS } from '../base/clock.js';
import type { RunReport } from './job-run.js';

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
