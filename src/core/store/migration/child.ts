// Started by migrate.ts as a process of its own: takes one job, answers once, ends.
import { runMigrationJob, type MigrationJob } from './job.js';
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

/** What the engine says in words of its own when the store cannot do its work. */
const STORE_ERRORS = /database or disk is full|readonly database|disk I\/O error|No space left on device/;

async function answer(job: MigrationJob): Promise<MigrationAnswer> {
  try {
    return { ok: true, applied: await runMigrationJob(job) };
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const lines = told.split('\n').map((line) => line.trim());
    // At the end the engine tells where in its own sources that was.
    const end = lines.findIndex((line, at) => at > 0 && /^\d+: /.test(line));
    const message = lines
      .slice(0, end === -1 ? undefined : end)
      .filter((line) => line !== '')
      .join(' ');
    return { ok: false, message, unavailable: isStoreError(error) || STORE_ERRORS.test(message) };
  }
}
