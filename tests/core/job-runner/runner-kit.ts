import { createLogger } from '../../../src/core/base/logger.js';
import {
  openDatabase,
  type Database,
  type DatabaseOptions,
  type JobRunRow,
} from '../../../src/core/store/db.js';
import { JobStore } from '../../../src/core/job-runner/job-store.js';
import type { RunWork } from '../../../src/core/job-runner/job-run.js';
import { JobRunner } from '../../../src/core/job-runner/job-runner.js';
import type { RunProgress } from '../../../src/core/job-runner/run-progress.js';
import { createTestDatabase, type TestEngine } from '../../support/store/databases.js';
import { ManualClock } from '../../support/manual-clock.js';

/** Two instances that share a database. */
export interface RunnerKit {
  options: DatabaseOptions;
  database: Database;
  clock: ManualClock;
  store: JobStore;
  /** Stored runs, newest first. */
  rows(): Promise<JobRunRow[]>;
  /** Another process, as far as leases and rows can tell. */
  runner(instance?: string): JobRunner;
  remove(): Promise<void>;
}

export async function createRunnerKit(engine: TestEngine, clock = new ManualClock()): Promise<RunnerKit> {
  const { options, cleanup } = await createTestDatabase(engine);
  const logger = createLogger({ level: 'silent' });
  const database = await openDatabase(options, logger);
  const store = new JobStore(database, clock);
  const runners: JobRunner[] = [];
  return {
    options,
    database,
    clock,
    store,
    rows: () => database.client.jobRun.findMany({ orderBy: { id: 'desc' } }),
    runner: (instance = 'one') => {
      const runner = new JobRunner({ store: new JobStore(database, clock), clock, logger, instance });
      runners.push(runner);
      return runner;
    },
    remove: async () => {
      await Promise.all(runners.map((runner) => runner.close()));
      await database.close();
      await cleanup();
    },
  };
}

/** Work that waits until a test lets it go on to its next batch. */
export class SteppedWork {
  #steps: (() => void)[] = [];
  #waiting: (() => void) | null = null;
  progress: RunProgress | null = null;

  readonly work: RunWork = async (progress) => {
    const { signal } = progress;
    this.progress = progress;
    progress.total = 4;
    for (; progress.done < 4; progress.done += 1) {
      progress.checkpoint();
      await new Promise<void>((resolve) => {
        this.#steps.push(resolve);
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
        this.#waiting?.();
      });
      progress.add('batches');
    }
  };

  /** Resolves when the work waits; then lets it do one batch. */
  async step(): Promise<void> {
    if (this.#steps.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    this.#waiting = null;
    this.#steps.shift()?.();
  }

  /** Does all the rest. */
  async finish(): Promise<void> {
    while ((this.progress?.done ?? 0) < 3) await this.step();
    await this.step();
  }
}
