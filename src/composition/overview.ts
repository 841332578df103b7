import type { Config } from '../config/schema.js';
import { fingerprintOfLive, type SourcedConfig } from '../config/setting-view.js';
import { VERSION } from '../config/version.js';
import { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { MINUTE_MS, SECOND_MS } from '../core/base/clock.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import type { InstanceInfo } from '../core/operators/overview/instance-store.js';
import { Overview } from '../core/operators/overview/overview.js';
import { MetricStore, type ReadSeries } from '../core/operators/overview/series/metric-store.js';
import { readCounters } from '../core/operators/overview/series/process-counters.js';
import { StoredCounts } from '../core/operators/overview/stored-totals.js';
import { pruneAuditLogJob } from '../jobs/jobs.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { runsHere } from '../jobs/scheduled-job.js';
import type { Instances } from './instances/instances.js';
import { feature, type ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

export interface OverviewNeighbours {
  previews: PreviewServices;
  jobs: JobServices;
  instances: Instances;
  /** The settings in effect. */
  running: () => SourcedConfig;
}

const HEARTBEAT_INTERVAL_MS = 30 * SECOND_MS;

/** Builds the first page of the operators' side, and what feeds it, over an open and migrated store. */
export function createOverviewServices(config: Config, parts: ContextParts, neighbours: OverviewNeighbours) {
  const { database, clock, logger, metrics } = parts;
  const { previews, jobs, running } = neighbours;
  const { instance, known: instances } = neighbours.instances;
  const startedTs = clock.now();
  const counts = new StoredCounts(database, () => clock.now());
  const counters = async () => {
    const { mediaBytes } = await counts.totals();
    return readCounters(metrics, { blockHits: previews.hits.recorded, mediaBytes });
  };
  const figures = new MetricStore({ database, clock, instance: jobs.instance, read: counters });
  const series: ReadSeries = (names, range) => figures.series(names, range);
  const self = (): InstanceInfo => ({
    name: instance,
    startedTs,
    lastSeenTs: clock.now(),
    version: VERSION,
    runsMediaJobs: runsHere({
      designatedInstance: config.media_instance_running_background_jobs,
      instance: config.jobs.instance,
    }),
    settings: fingerprintOfLive(running()),
  });
  const recording = new PeriodicJob({
    name: 'record_metrics',
    intervalMs: MINUTE_MS,
    logger,
    run: () => figures.record(),
  });
  const heartbeat = new PeriodicJob({
    name: 'heartbeat',
    intervalMs: HEARTBEAT_INTERVAL_MS,
    logger,
    run: () => instances.heartbeat(self()),
  });
  let isKnown = false;
  return feature(
    {
      overview: new Overview({
        database,
        process: { version: VERSION, serverName: config.server_name, instance: jobs.instance, startedTs },
        counts,
        counters,
        series,
        instances,
        previews: previews.cache,
      }),
      series,
      self,
      /** Tells other instances at once how this one stands. */
      tellOfSelf: async () => {
        if (isKnown) await heartbeat.trigger();
      },
    },
    {
      jobs: [auditPruning(config, parts, jobs)],
      join: () => {
        isKnown = true;
        heartbeat.start();
        void heartbeat.trigger();
      },
      start: () => {
        recording.start();
        void recording.trigger();
      },
      close: async () => {
        await Promise.all([recording.stop(), heartbeat.stop()]);
        // What was counted since the last minute; a store that is away has been told of already.
        if (isKnown) await Promise.allSettled([figures.record(), instances.remove(instance)]);
      },
    },
  );
}

function auditPruning(
  config: Config,
  { database, clock, logger }: ContextParts,
  { runner, jobStore }: JobServices,
) {
  const auditLog = new StoredAuditLog(database, clock);
  return pruneAuditLogJob(
    config.admin.audit_retention,
    (beforeTs, limit) => auditLog.prune(beforeTs, limit),
    { runner, jobStore, clock, logger },
  );
}
