import { hostname } from 'node:os';

import { SECOND_MS } from '../core/base/clock.js';
import { JobRegistry, type JobDefinition, type JobServices } from '../core/job-runner/job-registry.js';
import { JobRunner } from '../core/job-runner/job-runner.js';
import { JobStore } from '../core/job-runner/job-store.js';
import { InstanceStore } from '../core/operators/overview/instance-store.js';
import { InstanceMessages } from '../core/store/instances/instance-messages.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { feature, type Feature } from './features.js';
import type { ContextParts } from './parts.js';

export interface Instances {
  instance: string;
  /** The only one that runs the media jobs; `null`: any does. */
  designatedInstance: string | null;
  known: InstanceStore;
  messages: InstanceMessages;
}

const BEAT_MS = 30 * SECOND_MS;

export async function createInstances(parts: ContextParts): Promise<Instances & Feature> {
  const { config, database, logger } = parts;
  const instance = config.jobs.instance ?? hostname();
  const messages = new InstanceMessages(database, logger);
  const designatedInstance = config.media_instance_running_background_jobs;
  const services = { instance, designatedInstance, known: new InstanceStore(database), messages };
  if (!database.isShared) return feature(services);
  await messages.open();
  const run = () => messages.beat();
  const listening = new PeriodicJob({ name: 'hear_instances', intervalMs: BEAT_MS, logger, run });
  return feature(services, {
    start: () => listening.start(),
    close: async () => {
      await listening.stop();
      await messages.close();
    },
  });
}

/** Builds the runner and closes what a dead process left behind. `definitions`: all jobs. */
export async function createJobServices(
  { metrics, database, clock, logger }: ContextParts,
  { instance, definitions }: { instance: string; definitions: () => readonly JobDefinition[] },
): Promise<JobServices & Feature> {
  const jobStore = new JobStore(database, clock);
  const runner = new JobRunner({
    store: jobStore,
    clock,
    logger,
    instance,
    onFinished: (job, { outcome, counts }) => {
      metrics.jobRuns.inc({ job, outcome });
      const hasEnded = outcome === 'ok' || outcome === 'failed';
      if (hasEnded) metrics.jobFailing.set({ job }, outcome === 'failed' ? 1 : 0);
      for (const [kind, count] of Object.entries(counts))
        if (count > 0) metrics.jobWork.inc({ job, kind }, count);
    },
  });
  await (database.isShared ? jobStore.closeDead() : jobStore.takeOver());
  const registry = new JobRegistry(jobStore, definitions, instance);
  return feature(
    { runner, jobStore, registry },
    {
      start: () => {
        for (const { name: job } of definitions()) {
          for (const outcome of ['ok', 'failed']) metrics.jobRuns.inc({ job, outcome }, 0);
          metrics.jobFailing.set({ job }, 0);
        }
      },
      close: () => runner.close(),
    },
  );
}
