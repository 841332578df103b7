import { relative } from 'node:path';

import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Logger } from '../../base/logger.js';

const MAX_EXAMPLES = 10;

/** What a run finds below a folder that is not ours: it is counted and told once, and never touched. */
export class UnmanagedFiles {
  #count = 0;
  readonly #examples: string[] = [];

  constructor(private readonly root: string) {}

  /** Notes one by its absolute path. */
  readonly note = (path: string): void => {
    this.#count += 1;
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(relative(this.root, path));
  };

  /** Adds them to what the run counts and warns of them, with a few examples. */
  report(progress: RunProgress, logger: Logger): void {
    if (this.#count === 0) return;
    progress.add('foreign_files', this.#count);
    logger.warn(
      { foreign_files: this.#count, examples: this.#examples },
      'files below media_store_path are not ours and are left alone',
    );
  }
}
