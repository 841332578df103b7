import { systemClock } from '../../core/base/clock.js';
import type { Database } from '../../core/store/db.js';
import { dialectOf } from '../../core/base/dialect.js';
import { createLogger } from '../../core/base/logger.js';
import { createMetrics } from '../../core/base/metrics.js';
import type { TrialResult } from '../../core/operators/previews/preview-trial.js';
import type { TimedStep } from '../../core/base/trace.js';
import { createCommandJobServices } from '../../composition/job-services.js';
import { createNameParts } from '../../composition/name-services.js';
import { createPreviewAdmin } from '../../composition/preview-admin-services.js';
import { createPreviewServices } from '../../composition/preview-services.js';
import { VERSION } from '../../config/version.js';
import type { UsableConfig } from '../configuration.js';

/** What is tried. */
export interface CommandTrial {
  url: string;
  /** `null`: now. */
  ts: number | null;
  /** Whether stored previews are passed over. */
  isFresh: boolean;
  onStep: (step: TimedStep) => void;
}

/** Makes a preview as a server of this configuration would, and keeps nothing of it. */
export async function tryPreview(
  { config }: UsableConfig,
  database: Database,
  { url, ts, isFresh, onStep }: CommandTrial,
): Promise<TrialResult> {
  const { lookups } = createNameParts(config, { clock: systemClock });
  const parts = {
    database,
    lookups,
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(VERSION),
    dialect: dialectOf(config.dialect),
    oembedRegistryFile: null,
  };
  const jobs = createCommandJobServices(parts);
  const services = await createPreviewServices(config, parts, jobs);
  const admin = createPreviewAdmin(config, parts, { services, ...jobs });
  const request = { url, ts, ignoreCaches: isFresh, store: false, acceptLanguage: null };
  try {
    return await admin.trial.try({ ...request, actor: 'command line', requestId: 'command line' }, onStep);
  } finally {
    await admin.close();
    await services.close();
    await jobs.runner.close();
  }
}
