import { z } from 'zod';

import type { RunningSettings } from '../config/running-settings.js';
import type { Config } from '../config/schema.js';
import type { SourcedConfig } from '../config/setting-view.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import type { OperatorServices } from '../core/operators/operator-services.js';
import type { HealthLine } from '../core/operators/health/health-check.js';
import type { Health } from '../core/operators/health/health.js';
import { shareAccess, type Access } from './access.js';
import { createInstances, type Instances } from './instances/instances.js';
import { createJobServices } from './job-runner.js';
import { createLog, type Log } from './log/log.js';
import { Features } from './start/features.js';
import { createKeys, createSigning, settleKeys, type KeyServices, type SigningServices } from './notary.js';
import { createOperators, createSelectionJobs } from './operators.js';
import { createOverviewServices } from './overview.js';
import { type ContextParts, type ServerParts } from './parts.js';
import { createAlarms, type AlarmServices } from './alarms.js';
import type { Pipeline } from './preview-pipeline.js';
import { createHealth } from './health/health.js';
import { createRules, type RuleServices } from './blocking/rules.js';
import { createPreviews, type PreviewServices } from './preview.js';
import { settleLogKey } from './start/log-key.js';
import { keepName } from './start/start-checks.js';

const RELOADED = 'settings_reloaded';

/** All jobs, and what they work with. */
interface CommonServices {
  features: Features;
  access: Access;
  instances: Instances;
  jobs: JobServices;
  previews: PreviewServices;
  rules: RuleServices;
  alarms: AlarmServices;
  keys: KeyServices;
  overview: ReturnType<typeof createOverviewServices>;
  health: Health;
  /** Lets no probe run by itself any more. */
  stopProbes(): Promise<void>;
}

/** All services of a server, alive while the store is open. */
export interface Services extends CommonServices {
  signing: SigningServices;
  log: Log;
  pipeline: Pipeline;
  operators: OperatorServices;
}

/** Builds all wings over an open and migrated store; none is left open when one cannot be built. */
export async function openServices(
  config: Config,
  serverParts: ServerParts,
  { access, settings }: { access: Access; settings: RunningSettings },
): Promise<Services> {
  const features = new Features();
  try {
    const { signingKeys, told } = await settleKeys(config, serverParts);
    const parts = { ...serverParts, signingKeys };
    const common = await buildCommon(config, parts, { features, access, running: () => settings.running });
    const signing = features.add(await createSigning(config, parts, { ...common, told }));
    const log = features.add(await createLog(config, parts, await settleLogKey(config, parts)));
    const pipeline = features.add(await openPipeline(config, parts, common.previews));
    const { overview, self } = common.overview;
    const { previewer } = pipeline;
    const beside = { ...common, settings, previewer, overview, self, log };
    const { services: operators } = features.add(createOperators(config, parts, beside));
    shareReloads(settings, common);
    // Other settings may have been read while the store was away.
    features.apply(settings.running);
    await keepName(config, parts.database);
    return { ...common, signing, log, pipeline, operators };
  } catch (error) {
    await features.close();
    throw error;
  }
}

/** Has all instances read their own configuration again when one of them does. */
function shareReloads(settings: RunningSettings, { instances, overview }: CommonServices): void {
  const { messages } = instances;
  const tell = async (): Promise<void> => {
    await overview.tellOfSelf();
    await messages.send(RELOADED, {});
  };
  settings.onReloaded = () => void tell();
  messages.on(RELOADED, {
    schema: z.object({}),
    receive: () => {
      settings.reloadAsTold();
      return overview.tellOfSelf();
    },
    // What was edited since without a reload is not to come into effect by accident; health tells of differences.
    lost: () => undefined,
  });
}

/** Loaded once the store is open: the listeners open sooner. */
async function openPipeline(
  config: Config,
  parts: ContextParts,
  previews: PreviewServices,
): Promise<Pipeline> {
  const { createPipeline } = await import('./preview-pipeline.js');
  return createPipeline(config, parts, previews);
}

async function buildCommon(
  config: Config,
  parts: ContextParts,
  {
    features,
    access,
    running,
  }: Pick<CommonServices, 'features' | 'access'> & { running: () => SourcedConfig },
): Promise<CommonServices> {
  // The first of them, and so closed last: others tell and end what they share with other instances.
  const instances = features.add(await createInstances(config, parts));
  features.add(shareAccess(access, instances.messages));
  const { instance } = instances;
  const jobs = await createJobServices(parts, { instance, definitions: features.jobs });
  const shared = { ...jobs, instances };
  const previews = features.add(createPreviews(config, parts, shared));
  const rules = features.add(await createRules(config, parts, { ...previews, messages: instances.messages }));
  const look = (): Promise<HealthLine[]> => health.look();
  const alarms = features.add(createAlarms(config, parts, { health: look }));
  const keys = features.add(createKeys(config, parts, { ...shared, alarms }));
  const neighbours = { keys, previews, jobs, instances, running };
  const overview = features.add(createOverviewServices(config, parts, neighbours));
  const beside = { features, access, instances, jobs, keys, previews, series: overview.series };
  const { health, stopProbes } = features.add(createHealth(config, parts, beside));
  features.add(createSelectionJobs());
  // The last of them, and so closed first: runs end before what they work with.
  features.add(jobs);
  return { features, access, instances, jobs, previews, rules, alarms, keys, overview, health, stopProbes };
}
