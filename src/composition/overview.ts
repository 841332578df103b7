import { fingerprintOfLive, type SourcedConfig } from '../config/setting-view.js';
import { VERSION } from '../config/version.js';
import { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { MINUTE_MS, SECOND_MS } from '../core/base/clock.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import type { InstanceInfo } from '../core/operators/overview/instance-store.js';
import { type Overview, StoredCounts } from '../core/operators/overview/overview.js';
import { MetricStore, readCounters } from '../core/operators/overview/series/metric-store.js';
import { pruningJob, runsHere } from '../jobs/jobs.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import type { Instances } from './instances.js';
import { feature } from './features.js';
import type { ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

export interface OverviewNeighbours {
  previews: PreviewServices;
  jobs: JobServices;
  instances: Instances;
  running: () => SourcedConfig;
}

const BEAT_MS = 30 * SECOND_MS;

/** Builds the first page of the operators' side, and what feeds it, over an open and migrated store. */
export function createOverviewServices(parts: ContextParts, neighbours: OverviewNeighbours) {
  const { config, database, clock, logger } = parts;
  const { jobs, instances, running } = neighbours;
  const { instance, known } = instances;
  const startedTs = clock.now();
  const { overview, figures } = createOverview(parts, neighbours, startedTs);
  const self = (): InstanceInfo => ({
    name: instance,
    startedTs,
    lastSeenTs: clock.now(),
    version: VERSION,
    runsMediaJobs: runsHere(instances),
    settings: fingerprintOfLive(running()),
  });
  const record = () => figures.record();
  const recording = new PeriodicJob({ name: 'record_metrics', intervalMs: MINUTE_MS, logger, run: record });
  const beat = () => known.heartbeat(self());
  const heartbeat = new PeriodicJob({ name: 'heartbeat', intervalMs: BEAT_MS, logger, run: beat });
  const auditLog = new StoredAuditLog(database, clock);
  const prune = (beforeTs: number, limit: number) => auditLog.prune(beforeTs, limit);
  let isStarted = false;
  const start = (): void => {
    isStarted = true;
    recording.start();
    heartbeat.start();
    void heartbeat.trigger();
  };
  const close = async (): Promise<void> => {
    await Promise.all([recording.stop(), heartbeat.stop()]);
    // What was counted since the last minute; a store that is away has been told of already.
    if (isStarted) await Promise.allSettled([figures.record(), known.remove(instance)]);
  };
  const { audit_retention: retentionMs } = config.admin;
  const about = { job: 'prune_audit_log', retentionMs, prune } as const;
  const pruning = pruningJob(about, { ...jobs, clock, logger });
  /** Tells other instances at once how this one stands. */
  const tellOfSelf = () => heartbeat.trigger();
  return feature({ overview, self, tellOfSelf }, { jobs: [pruning], start, close });
}

function createOverview(parts: ContextParts, made: OverviewNeighbours, startedTs: number) {
  const { database, clock, metrics } = parts;
  const { previews, instances } = made;
  const counts = new StoredCounts(database, () => clock.now());
  const counters = async () => {
    const mediaBytes = await counts.mediaBytes();
    return readCounters(metrics, { blockHits: previews.hits.recorded, mediaBytes });
  };
  const { instance, known } = instances;
  const figures = new MetricStore({ database, clock, instance, read: counters });
  const overview: Overview = {
    process: { version: VERSION, startedTs },
    counts,
    counters,
    series: (names, range) => figures.series(names, range),
    instances: known,
    previews: previews.cache,
  };
  return { overview, figures };
}
