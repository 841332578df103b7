import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { selectionJob } from '../../job-runner/job-registry.js';
import type { JobRun } from '../../job-runner/job-run.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { RunProgress } from '../../job-runner/run-progress.js';
import type { Previewer } from '../../preview/pipeline/previewer.js';
import type { Database } from '../../store/db.js';
import type { PreviewRemoval } from './deletions.js';
import { findPreviews, otherIdsOfUrl } from './previews.js';

export interface PreviewReplacementOptions {
  previewer: Pick<Previewer, 'try'>;
  database: Database;
  removal: PreviewRemoval;
  runner: JobRunner;
  clock: Clock;
  logger: Logger;
}

/** Who asks for fresh previews. */
export interface RefreshRequest {
  ids: readonly number[];
  actor: string;
  requestId: string;
}

export const REFRESH_PREVIEWS = selectionJob({
  name: 'refresh_previews',
  title: 'Refresh previews',
  description:
    'Fetches selected previews again, under the same rules as for clients. ' +
    'Clients keep showing the old answer until they reload.',
});

/** Sites are asked at once. */
const AT_ONCE = 4;

/** Makes stored previews anew. A preview that cannot be made keeps its old row. */
export class PreviewReplacement {
  constructor(private readonly options: PreviewReplacementOptions) {}

  /** Starts the run that makes previews anew. @throws ApiError 409 `already_running` */
  async refresh(request: RefreshRequest): Promise<JobRun> {
    const { run } = await this.options.runner.start({
      job: REFRESH_PREVIEWS.name,
      actor: request.actor,
      work: (progress) => this.refreshAll(request, progress),
    });
    return run;
  }

  /** The work of that run. */
  async refreshAll({ ids, actor, requestId }: RefreshRequest, progress: RunProgress): Promise<void> {
    const urls = [...new Set((await findPreviews(this.options.database, ids)).map(({ url }) => url))];
    progress.total = urls.length;
    for (let at = 0; at < urls.length; at += AT_ONCE) {
      progress.checkpoint();
      const batch = urls.slice(at, at + AT_ONCE);
      await Promise.all(batch.map((url) => this.#refreshOne(url, { actor, requestId }, progress)));
      progress.done += batch.length;
    }
  }

  /** Removes older rows of an address: a client that names a time in the past must not get them any more. */
  async replaceOlder(url: string, id: number): Promise<void> {
    const { database, removal } = this.options;
    const progress = new RunProgress(new AbortController().signal);
    await removal.remove(await otherIdsOfUrl(database, url, id), progress, { withMedia: true });
  }

  async #refreshOne(
    url: string,
    { actor, requestId }: Omit<RefreshRequest, 'ids'>,
    progress: RunProgress,
  ): Promise<void> {
    const { previewer, clock, logger } = this.options;
    const request = { url, ts: clock.now(), userId: actor, requestId };
    try {
      const { storedId } = await previewer.try(request, {
        trace: null,
        ignoreCaches: true,
        signal: progress.signal,
      });
      if (storedId !== null) await this.replaceOlder(url, storedId);
      progress.add(storedId === null ? 'failed' : 'refreshed');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      logger.info({ reason: error.reason, status: error.status }, 'a preview could not be refreshed');
      progress.add('failed');
    }
  }
}
