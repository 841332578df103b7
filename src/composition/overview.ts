import type { Config } from '../config/schema.js';
import { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { MINUTE_MS, SECOND_MS } from '../core/base/clock.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import { CountStore, diskBytes } from '../core/operators/overview/totals/count-store.js';
import type { InstanceInfo, InstanceStore } from '../core/operators/overview/instance-store.js';
import { MetricRecorder } from '../core/operators/overview/series/metric-recorder.js';
import { MetricStore, type ReadSeries } from '../core/operators/overview/series/metric-store.js';
import { Overview, type ProcessFigures } from '../core/operators/overview/overview.js';
import { readCounters } from '../core/operators/overview/series/process-counters.js';
import { TotalMeasuring } from '../core/operators/overview/totals/total-measuring.js';
import { TotalStore } from '../core/operators/overview/totals/total-store.js';
import { memoryPreviews } from '../core/operators/previews/memory-previews.js';
import { measureTotalsJob, pruneAuditLogJob } from '../jobs/jobs.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { runsHere, type ScheduledJob } from '../jobs/scheduled-job.js';
import { fingerprintOfLive, type SourcedConfig } from '../config/setting-view.js';
import { VERSION } from '../config/version.js';
import type { Instances } from './instances/instances.js';
import type { KeyServices } from './notary.js';
import { feature, type ContextParts } from './parts.js';
import type { PreviewServices } from './preview.js';

export interface OverviewNeighbours {
  keys: KeyServices;
  previews: PreviewServices;
  jobs: JobServices;
  instances: Instances;
  /** The settings in effect. */
  running: () => SourcedConfig;
}

const HEARTBEAT_INTERVAL_MS = 30 * SECOND_MS;

/** What its parts have in common. */
interface OverviewParts extends Omit<OverviewNeighbours, 'instances' | 'running'> {
  totals: TotalStore;
  recorder: MetricRecorder;
  series: ReadSeries;
  instances: InstanceStore;
  figures: ProcessFigures;
  startedTs: number;
}

/** Builds the first page of the operators' side, and what feeds it, over an open and migrated store. */
export function createOverviewServices(config: Config, parts: ContextParts, neighbours: OverviewNeighbours) {
  const made = overviewParts(parts, neighbours);
  const { recorder } = made;
  const jobs = scheduledJobs(config, parts, made);
  const self = selfOf(config, parts, { ...neighbours, startedTs: made.startedTs });
  const { recording, heartbeat } = livingJobs(parts, made, self);
  let isKnown = false;
  return feature(
    {
      overview: createOverview(config, parts, made),
      series: made.series,
      self,
      /** Tells other instances at once how this one stands. */
      tellOfSelf: async () => {
        if (isKnown) await heartbeat.trigger();
      },
    },
    {
      jobs,
      join: () => {
        isKnown = true;
        heartbeat.start();
        void heartbeat.trigger();
      },
      start: () => {
        recording.start();
        for (const job of [recording, ...jobs.map(({ job }) => job)]) void job?.trigger();
      },
      close: async () => {
        await Promise.all([recording, heartbeat].map((job) => job.stop()));
        // What was counted since the last minute; a store that is away has been told of already.
        if (!isKnown) return;
        const name = neighbours.instances.instance;
        await Promise.allSettled([recorder.record(), made.instances.remove(name)]);
      },
    },
  );
}

/** What this process tells of itself. */
function selfOf(
  config: Config,
  { clock }: ContextParts,
  {
    instances,
    running,
    startedTs,
  }: Pick<OverviewNeighbours, 'instances' | 'running'> & { startedTs: number },
): () => InstanceInfo {
  return () => ({
    name: instances.instance,
    startedTs,
    lastSeenTs: clock.now(),
    version: VERSION,
    runsMediaJobs: runsMediaJobs(config),
    settings: fingerprintOfLive(running()),
  });
}

function overviewParts(parts: ContextParts, neighbours: OverviewNeighbours): OverviewParts {
  const { database, clock } = parts;
  const totals = new TotalStore(database);
  const figures = processFigures(parts, neighbours, totals);
  const store = new MetricStore(database);
  const { instance } = neighbours.jobs;
  const recorder = new MetricRecorder({ store, read: () => figures.counters(), clock, instance });
  return {
    ...neighbours,
    totals,
    recorder,
    series: (metrics, range) => store.series(metrics, range, clock.now()),
    instances: neighbours.instances.known,
    figures,
    startedTs: clock.now(),
  };
}

/** Jobs that operators see. */
function scheduledJobs(
  config: Config,
  { database, clock, logger }: ContextParts,
  { totals, jobs: { runner, jobStore } }: OverviewParts,
): ScheduledJob[] {
  const common = { runner, jobStore, clock, logger };
  const auditLog = new StoredAuditLog(database, clock);
  const prune = (beforeTs: number, limit: number) => auditLog.prune(beforeTs, limit);
  return [
    measureTotalsJob(new TotalMeasuring({ database, totals, clock }), common),
    pruneAuditLogJob(config.admin.audit_retention, prune, common),
  ];
}

function createOverview(config: Config, parts: ContextParts, made: OverviewParts): Overview {
  const { database, clock } = parts;
  const { totals, series, instances, figures, startedTs } = made;
  return new Overview({
    database,
    figures,
    startedTs,
    totals,
    series,
    instances,
    version: VERSION,
    serverName: config.server_name,
    instance: made.jobs.instance,
    counts: new CountStore({ database, clock, totals }),
  });
}

/** The record of figures and the sign of life, which every process leaves. */
function livingJobs(
  { logger }: ContextParts,
  { recorder, instances }: OverviewParts,
  self: () => InstanceInfo,
): { recording: PeriodicJob; heartbeat: PeriodicJob } {
  return {
    recording: new PeriodicJob({
      name: 'record_metrics',
      intervalMs: MINUTE_MS,
      logger,
      run: () => recorder.record(),
    }),
    heartbeat: new PeriodicJob({
      name: 'heartbeat',
      intervalMs: HEARTBEAT_INTERVAL_MS,
      logger,
      run: () => instances.heartbeat(self()),
    }),
  };
}

function runsMediaJobs(config: Config): boolean {
  return runsHere({
    designatedInstance: config.media_instance_running_background_jobs,
    instance: config.jobs.instance,
  });
}

function processFigures(
  { metrics }: ContextParts,
  { previews }: OverviewNeighbours,
  totals: TotalStore,
): ProcessFigures {
  return {
    memoryPreviews: () => memoryPreviews(previews.cache),
    counters: async () => {
      return readCounters(metrics, {
        blockHits: previews.hits.recorded,
        mediaBytes: diskBytes(await totals.read()),
      });
    },
  };
}
