import { createCleanup } from '../../composition/cleanup-services.js';
import { systemClock } from '../../core/base/clock.js';
import type { Database } from '../../core/store/db.js';
import type { JobRegistry } from '../../core/job-runner/job-registry.js';
import { FetchStore } from '../../core/notary/keys/fetch-store.js';
import { createLogger } from '../../core/base/logger.js';
import { TotalMeasuring } from '../../core/operators/overview/totals/total-measuring.js';
import { TotalStore } from '../../core/operators/overview/totals/total-store.js';
import { MediaFiles } from '../../core/preview/media/media-files.js';
import { createCommandJobServices, createJobRegistry } from '../../composition/job-services.js';
import type { JobServices } from '../../composition/job-services.js';
import { measureTotalsJob } from '../../jobs/measure-totals.js';
import { mediaSweepJob } from '../../jobs/media-sweep.js';
import { previewCleanupJob } from '../../jobs/preview-cleanup.js';
import { pruneFetchHistoryJob } from '../../jobs/prune-fetch-history.js';
import type { UsableConfig } from '../configuration.js';

/** The jobs as a command runs them: in its own process, beside a server that may be running. */
export interface CommandJobs extends JobServices {
  registry: JobRegistry;
}

/** Builds them over an open database. Close the runner when done. */
export function createCommandJobs({ config }: UsableConfig, database: Database): CommandJobs {
  const parts = { database, clock: systemClock, logger: createLogger({ level: 'silent' }) };
  const services = createCommandJobServices(parts);
  const { runner, pauses } = services;
  // A server may be writing media at this moment, so that young files without rows are left alone.
  const files = { files: new MediaFiles(config.media_store_path), isOnlyWriter: async () => false };
  const { cleanup, sweep } = createCleanup(config, { ...parts, runner }, files);
  const options = {
    ...parts,
    pauses,
    signal: new AbortController().signal,
    designatedInstance: config.media_instance_running_background_jobs,
    instance: config.jobs.instance,
  };
  const pruning = pruneFetchHistoryJob({
    ...parts,
    runner,
    pauses,
    fetchStore: new FetchStore(database),
    retentionMs: config.federation.fetch_history_retention,
  });
  const totals = new TotalStore(database);
  const measuring = new TotalMeasuring({ database, totals, clock: systemClock });
  const scheduled = [
    previewCleanupJob(cleanup, options),
    mediaSweepJob(sweep, options),
    pruning,
    measureTotalsJob({ ...parts, measuring, runner, pauses }),
  ];
  const definitions = scheduled.map(({ definition }) => definition);
  return { ...services, registry: createJobRegistry(services, definitions) };
}
