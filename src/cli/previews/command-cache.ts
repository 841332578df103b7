import { systemClock } from '../../core/base/clock.js';
import type { Database } from '../../core/store/db.js';
import { dialectOf } from '../../core/base/dialect.js';
import type { StartedRun } from '../../core/job-runner/job-runner.js';
import { createLogger } from '../../core/base/logger.js';
import type { BulkDeletion, Selection } from '../../core/operators/media/bulk-deletion.js';
import { MediaFiles } from '../../core/preview/media/media-files.js';
import { createCommandJobServices } from '../../composition/job-services.js';
import type { JobServices } from '../../composition/job-services.js';
import { createCacheAdmin } from '../../composition/preview-admin-services.js';
import type { CacheAdmin } from '../../composition/preview-admin-services.js';
import { audited } from '../audited.js';
import { requireConfig } from '../configuration.js';
import type { ConfigOption } from '../configuration.js';
import { reportRun, watchRun } from '../job/watch-run.js';
import { withDatabase } from '../store-session.js';

/** Stored previews and media as a command reaches them, beside a server that may be running. */
export interface CommandCache {
  admin: CacheAdmin;
  jobs: JobServices;
  database: Database;
}

/** Runs work on the stored previews and media of a configuration. */
export function withCache<T>(option: ConfigOption, work: (cache: CommandCache) => Promise<T>): Promise<T> {
  const { config } = requireConfig(option);
  return withDatabase(option, async (database) => {
    const parts = { database, clock: systemClock, logger: createLogger({ level: 'silent' }) };
    const jobs = createCommandJobServices(parts);
    const admin = createCacheAdmin(config, {
      ...parts,
      dialect: dialectOf(config.dialect),
      files: new MediaFiles(config.media_store_path),
      runner: jobs.runner,
      cache: null,
    });
    try {
      return await work({ admin, jobs, database });
    } finally {
      await jobs.runner.close();
    }
  });
}

/** The mutations that do the same, by job. */
const ACTIONS: Readonly<Record<string, string>> = {
  delete_previews: 'deletePreviews',
  delete_media: 'deleteMedia',
};

/** Deletes a selection as a run of its own, with progress on a terminal. Ctrl-C ends it after a batch. */
export async function runDeletion<Key, Filter>(
  { jobs, database }: CommandCache,
  deletion: BulkDeletion<Key, Filter>,
  what: { selection: Selection<Key, Filter>; matched: number; json?: true },
): Promise<void> {
  const { selection, matched } = what;
  const action = ACTIONS[deletion.job] ?? deletion.job;
  const deed = { action, summary: `Delete ${matched} ${deletion.job.replace('delete_', '')}` };
  const about = 'filter' in selection ? { filter: selection.filter } : { ids: selection.keys.length };
  await audited(database, deed, async (note) => {
    const started: StartedRun = await jobs.runner.start({
      job: deletion.job,
      cause: 'operator',
      actor: 'command line',
      work: ({ progress }) => deletion.delete(selection, progress, matched),
    });
    note.about({ detail: { ...about, run: started.run.id } });
    const cancel = (): void => void jobs.runner.cancel(started.run.id);
    process.once('SIGINT', cancel);
    await watchRun(started);
    process.off('SIGINT', cancel);
    const [finished] = await jobs.runs.find([started.run.id]);
    reportRun(finished ?? started.run, what);
  });
}
