import type { RunningSettings } from '../config/running-settings.js';
import type { HealthLine } from '../core/operators/health/health.js';
import { shareAccess, type Access } from './access.js';
import { createAlarms } from './alarms.js';
import { createRules } from './blocking/rules.js';
import { Features } from './features.js';
import { createHealth } from './health/health.js';
import { createInstances, createJobServices } from './instances.js';
import { createLog } from './log/log.js';
import { createKeys, createSigning, settleKeys } from './notary.js';
import { createOperators } from './operators.js';
import { createOverviewServices } from './overview.js';
import type { ServerParts } from './parts.js';
import { createPreviews } from './preview.js';
import { keepName, settleLogKey } from './start/start-checks.js';

const RELOADED = 'settings_reloaded';

export type Services = Awaited<ReturnType<typeof build>>;

interface BuiltBefore {
  access: Access;
  settings: RunningSettings;
}

/** Builds all services over an open and migrated store; none is left open when one cannot be built. */
export async function openServices(parts: ServerParts, before: BuiltBefore): Promise<Services> {
  const { config } = parts;
  const features = new Features();
  try {
    const services = await build(parts, features, before);
    const { settings } = before;
    shareReloads(settings, services);
    // Other settings may have been read while the store was away.
    features.apply(settings.running);
    await keepName(config, parts.database);
    return services;
  } catch (error) {
    await features.close();
    throw error;
  }
}

/** Features are closed in reverse: what others work with comes first. */
async function build(serverParts: ServerParts, features: Features, { access, settings }: BuiltBefore) {
  const { config } = serverParts;
  const { signingKeys, told } = await settleKeys(serverParts);
  const parts = { ...serverParts, signingKeys };
  const instances = features.add(await createInstances(parts));
  const { instance, messages } = instances;
  features.add(shareAccess(access, messages));
  const jobs = await createJobServices(parts, { instance, definitions: features.jobs });

  const previews = features.add(createPreviews(parts, jobs, instances));
  const rules = features.add(await createRules(parts, previews, messages));
  const look = (): Promise<HealthLine[]> => health.look();
  const alarms = features.add(createAlarms(parts, look));
  const keys = features.add(createKeys(parts, jobs, { instances, alarms }));
  const running = () => settings.running;
  const { overview, self, tellOfSelf } = features.add(
    createOverviewServices(parts, { previews, jobs, instances, running }),
  );
  const { health, stopProbes } = features.add(
    createHealth(parts, { features, access, instances, jobs, previews, overview }),
  );
  features.add(jobs);

  const signing = features.add(await createSigning(parts, { keys, access, told }));
  const log = features.add(await createLog(parts, await settleLogKey(config, parts)));
  // Loaded now, so that the listeners open sooner.
  const { createPipeline } = await import('./preview-pipeline.js');
  const pipeline = features.add(await createPipeline(parts, previews));
  const { previewer } = pipeline;
  const common = { access, instances, settings, jobs, keys, alarms, previews, rules, overview, health, log };
  const { services: operators } = features.add(createOperators(parts, { ...common, previewer, self }));
  return { ...common, features, tellOfSelf, stopProbes, signing, pipeline, operators };
}

/** Has all instances read their own configuration again when one of them does. */
function shareReloads(settings: RunningSettings, { instances: { messages }, tellOfSelf }: Services): void {
  settings.onReloaded = () => void tellOfSelf().then(() => messages.send(RELOADED, []));
  messages.on(RELOADED, async (keys) => {
    // What was edited since without a reload is not to come into effect by accident; health tells of differences.
    if (keys === null) return;
    settings.reload({ dryRun: false, notifies: false });
    await tellOfSelf();
  });
}
