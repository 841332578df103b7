import { userInfo } from 'node:os';

import type { Access } from '../composition/access.js';
import {
  databaseOptionsOf,
  checkLogKey,
  checkStoredIdentity,
  readKeyFiles,
  type StartProblem,
} from '../composition/start/start-checks.js';
import type { AuditEntry } from '../core/access/operators/audit.js';
import { systemClock } from '../core/base/clock.js';
import { newRequestId, createLogger } from '../core/base/logger.js';
import { openDatabase, type Database, type DatabaseOptions } from '../core/store/db.js';
import { migrationStatus, refusalOf, type MigrationStatus } from '../core/store/migrate.js';
import { isStoreError, locationOf, mayComeBack, tellingStoreErrors } from '../core/store/store-errors.js';
import { CommandError, describeError } from './terminal.js';
import { requireConfig, type ConfigOption, type UsableConfig } from './configuration.js';

export function noDatabaseYet(options: DatabaseOptions): CommandError {
  return new CommandError(
    `There is no database yet: ${locationOf(options)}. Start the server once to create it, or correct the section "database" of the configuration.`,
  );
}

/** Why this program cannot work on a database, with what to do; `null` when it can. */
export function databaseObstacle(status: MigrationStatus): string | null {
  if (status.pending.length > 0 && status.unknown.length === 0)
    return 'The database lacks migrations of this version. Start the server once.';
  return refusalOf(status)?.message ?? null;
}

/** Runs work on the configured database, which must have been migrated to this version, and closes it. */
export async function withDatabase<T>(
  option: ConfigOption,
  work: (loaded: UsableConfig, database: Database) => Promise<T>,
): Promise<T> {
  const loaded = requireConfig(option);
  const options = databaseOptionsOf(loaded);
  const status = await migrationStatus(options);
  if (status.applied.length === 0) throw noDatabaseYet(options);
  const obstacle = databaseObstacle(status);
  if (obstacle !== null) throw new CommandError(obstacle);
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    return await tellingStoreErrors(options, () => work(loaded, database));
  } finally {
    await database.close();
  }
}

export function withAccess<T>(option: ConfigOption, work: (access: Access) => Promise<T>): Promise<T> {
  return withDatabase(option, async ({ config }, database) => {
    // Commands without it start in a fraction of the time.
    const { createAccess } = await import('../composition/access.js');
    const { createBase, SILENT } = await import('../composition/parts.js');
    return work(createAccess({ ...createBase(config, SILENT), database }));
  });
}

/** What key files and database say against a start, beyond the text of the configuration. Changes nothing. */
export async function checkStart(loaded: UsableConfig): Promise<StartProblem[]> {
  const options = databaseOptionsOf(loaded);
  try {
    const status = await migrationStatus(options);
    const refusal = refusalOf(status);
    if (refusal !== null) return [{ setting: 'database', message: refusal.message, isError: true }];
    // What cannot be read before it is migrated, the start checks.
    if (status.applied.length === 0 || status.pending.length > 0) return await checkKeys(loaded, null);
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    try {
      return await checkKeys(loaded, database);
    } finally {
      await database.close();
    }
  } catch (error) {
    // A start waits for a database that may come back.
    const isError = !isStoreError(error) || !mayComeBack(error, options);
    const away = { setting: 'database', message: describeError(error).message ?? '', isError };
    return [away, ...(await checkKeys(loaded, null))];
  }
}

/** What is wrong with the key files, or with them and the name on this database. */
export async function checkKeys({ config }: UsableConfig, database: Database | null) {
  const { keys, problems } = await readKeyFiles(config);
  if (problems.some(({ isError }) => isError)) return problems;
  const stored =
    database === null ? [] : await checkStoredIdentity(config, { database, clock: systemClock, keys });
  return [...problems, ...stored, ...(await checkLogKey(config, database))];
}

export async function recordCommand(
  { auditLog }: Pick<Access, 'auditLog'>,
  done: Pick<AuditEntry, 'action' | 'summary' | 'detail'> & Partial<AuditEntry>,
): Promise<void> {
  await auditLog.record({
    actor: commandActor(),
    role: 'admin',
    method: 'command',
    targetType: null,
    targetId: null,
    outcome: 'ok',
    address: null,
    requestId: newRequestId(),
    ...done,
  });
}

/** Commands on this machine act as admin; the account says who ran them. */
export function commandActor(): string {
  try {
    return `command line (${userInfo().username})`;
  } catch {
    // An account without a name, as in many containers.
    return 'command line';
  }
}
