// Started by migrate.ts as a process of its own: takes one job, answers once, ends.
import type { MigrationJob } from './job.js';
import { runMigrationJob } from './job.js';
import { isStoreError } from '../store-errors.js';

/** Answer of the process of a migration. */
export type MigrationAnswer =
  | { ok: true; applied: string[] }
  | { ok: false; message: string; unavailable: boolean };

// The lock that keeps other starters away is the parent's: without the parent, do not go on.
process.on('disconnect', () => process.exit(1));

process.once('message', (job: MigrationJob) => {
  void answer(job).then((result) => process.send?.(result, undefined, undefined, () => process.disconnect()));
});

async function answer(job: MigrationJob): Promise<MigrationAnswer> {
  try {
    return { ok: true, applied: await runMigrationJob(job) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message, unavailable: isStoreError(error) };
  }
}
