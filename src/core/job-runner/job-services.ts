import type { JobPauseStore } from './job-pause-store.js';
import type { JobRegistry } from './job-registry.js';
import type { JobRunList } from './job-run-list.js';
import type { JobRunStore } from './job-run-store.js';
import type { JobRunner } from './job-runner.js';

/** What runs jobs and remembers their runs, alive while the store is open. */
export interface JobServices {
  runner: JobRunner;
  runs: JobRunStore;
  runList: JobRunList;
  pauses: JobPauseStore;
  registry: JobRegistry;
  /** Name of this instance, as runs carry it. */
  instance: string;
}
