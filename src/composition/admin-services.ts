import type { AdminAccess } from './admin-access.js';
import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import type { BlockingServices } from './blocking-services.js';
import type { RunningSettings } from '../config/running-settings.js';
import type { AuditLog } from '../core/access/operators/audit.js';
import type { Privacy } from '../core/access/operators/privacy.js';
import type { Clock } from '../core/base/clock.js';
import type { Database } from '../core/store/db.js';
import type { JobRegistry } from '../core/job-runner/job-registry.js';
import type { Overview } from '../core/operators/overview/overview.js';
import { createKeyAdminServices } from './key-admin-services.js';
import type { KeyAdminServices } from './key-admin-services.js';
import type { JobServices } from './job-services.js';
import type { KeyServices } from './key-services.js';
import type { OverviewServices } from './overview-services.js';
import { createPreviewAdmin } from './preview-admin-services.js';
import type { PreviewAdminServices } from './preview-admin-services.js';
import type { PreviewServices } from './preview-services.js';

/** What the operators' side uses, alive while the store is open. Each area adds its part. */
export interface AdminServices {
  clock: Clock;
  database: Database;
  /** Sessions, tokens, sign-in codes. */
  access: AdminAccess;
  auditLog: AuditLog;
  /** What operators get to see of those who asked. */
  privacy: Privacy;
  overview: Overview;
  jobs: JobServices & { registry: JobRegistry };
  blocking: BlockingServices;
  settings: RunningSettings;
  keys: KeyAdminServices;
  previews: PreviewAdminServices;
  close(): Promise<void>;
}

/** What it is built from, beside the configuration. */
export interface AdminServiceParts extends ContextParts {
  keyServices: KeyServices;
  previewServices: PreviewServices;
  overviewServices: OverviewServices;
  jobServices: JobServices & { registry: JobRegistry };
  blocking: BlockingServices;
  settings: RunningSettings;
  access: AdminAccess;
}

/** Builds it over an open and migrated store. */
export function createAdminServices(config: Config, parts: AdminServiceParts): AdminServices {
  const { clock, database, access, overviewServices } = parts;
  const previews = createPreviewAdmin(config, parts, {
    services: parts.previewServices,
    ...parts.jobServices,
  });
  return {
    clock,
    database,
    access,
    auditLog: access.auditLog,
    privacy: access.privacy,
    overview: overviewServices.overview,
    jobs: parts.jobServices,
    blocking: parts.blocking,
    settings: parts.settings,
    keys: createKeyAdminServices(config, parts, parts.keyServices),
    previews,
    close: () => previews.close(),
  };
}
