import type { AdminAccess } from './admin-access.js';
import type { Config } from './config/schema.js';
import type { ContextParts } from './context.js';
import type { AuditLog } from './core/admin/audit.js';
import type { AdminAuthenticator } from './core/admin/viewer.js';
import type { Clock } from './core/clock.js';
import type { Database } from './core/db/db.js';
import type { KeyServices } from './key-services.js';
import type { PreviewServices } from './preview-services.js';

/** What the operators' side uses, alive while the store is open. Each area adds its part. */
export interface AdminServices {
  clock: Clock;
  database: Database;
  /** Sessions, tokens, sign-in codes. */
  access: AdminAccess;
  authenticator: AdminAuthenticator;
  auditLog: AuditLog;
  start(): void;
  close(): Promise<void>;
}

/** What it is built from, beside the configuration. */
export interface AdminServiceParts extends ContextParts {
  keyServices: KeyServices;
  previewServices: PreviewServices;
  access: AdminAccess;
}

/** Builds it over an open and migrated store. */
export async function createAdminServices(_config: Config, parts: AdminServiceParts): Promise<AdminServices> {
  const { clock, database, access } = parts;
  return {
    clock,
    database,
    access,
    authenticator: access.authenticator,
    auditLog: access.auditLog,
    start: () => undefined,
    close: async () => undefined,
  };
}
