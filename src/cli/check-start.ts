import { checkMediaStorage } from '../composition/media/check-media-storage.js';
import { databaseOptionsOf } from '../composition/parts.js';
import { type StartProblem, whyDatabaseCannotBeWritten } from '../composition/start/start-problem.js';
import { checkLogKey } from '../composition/start/log-key.js';
import { fetchOwnRecordOnce } from '../composition/start/own-record.js';
import { readKeyFiles } from '../composition/start/own-signing-keys.js';
import { checkIdentity } from '../composition/start/start-checks.js';
import type { Config } from '../config/schema.js';
import { systemClock } from '../core/base/clock.js';
import { createLogger } from '../core/base/logger.js';
import { openDatabase, type Database, type DatabaseOptions } from '../core/store/db.js';
import { migrationStatus, refusalOf } from '../core/store/migrate.js';
import { ServerLock } from '../core/store/sqlite/server-lock.js';
import { isStoreError, mayComeBack } from '../core/store/store-errors.js';
import { probeAddress } from '../server/probe-address.js';
import type { UsableConfig } from './configuration.js';
import { describeError } from './errors.js';
import { listenError } from './serve/listen-error.js';

/**
 * Everything beyond the text of the configuration that would stop a start, or that an operator should know before it:
 * key files, addresses, the database with its identity, and media. Changes nothing.
 */
export async function checkStart(loaded: UsableConfig): Promise<StartProblem[]> {
  const found = await Promise.all([
    checkAddresses(loaded.config),
    checkDatabase(loaded),
    checkMediaStorage(loaded.config),
  ]);
  return found.flat();
}

/** A taken port is a warning: the service itself may be running. */
async function checkAddresses({ listeners }: Config): Promise<StartProblem[]> {
  const places = listeners.flatMap(({ port, bind_addresses: addresses }, index) =>
    addresses.map((address) => ({ setting: `listeners[${index}]`, address, port })),
  );
  const problems: StartProblem[] = [];
  for (const { setting, address, port } of places)
    await probeAddress(address, port).catch((error: unknown) => {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      const message = isTaken
        ? `${address} port ${port} is taken; unless by this very service, the start is refused`
        : (describeError(listenError(error)).message ?? '');
      problems.push({ setting, message, isError: !isTaken });
    });
  return problems;
}

/** A start waits for a database that is away and may come back: no error. */
async function checkDatabase(loaded: UsableConfig): Promise<StartProblem[]> {
  const options = databaseOptionsOf(loaded);
  const unwritable = await checkWritable(options);
  try {
    const status = await migrationStatus(options);
    const refusal = refusalOf(status);
    if (refusal !== null) return [{ setting: 'database', message: refusal.message, isError: true }];
    const isNew = status.applied.length === 0;
    const database = isNew ? null : await openDatabase(options, createLogger({ level: 'silent' }));
    try {
      const identity = await identityProblems(loaded, database, { isBehind: status.pending.length > 0 });
      return [...unwritable, ...identity, ...(await checkHolder(options))];
    } finally {
      await database?.close();
    }
  } catch (error) {
    const message = describeError(error).message ?? '';
    const isError = !isStoreError(error) || !mayComeBack(error, options);
    const away = unwritable.length > 0 ? unwritable : [{ setting: 'database', message, isError }];
    return [...away, ...(await identityProblems(loaded, null, { isAway: true }))];
  }
}

/** What keeps a server of this configuration from starting on a database: other names or keys. */
export async function identityProblems(
  loaded: UsableConfig,
  database: Database | null,
  state: { isBehind?: boolean; isAway?: boolean } = {},
): Promise<StartProblem[]> {
  const { config } = loaded;
  const { keys, problems } = await readKeyFiles(config);
  // Without the keys nothing can be said about who we are.
  if (problems.some(({ isError }) => isError)) return problems;
  const fetchOwnRecord = (signal: AbortSignal) => fetchOwnRecordOnce(loaded, signal);
  const identity = await checkIdentity(config, {
    ...state,
    clock: systemClock,
    keys,
    database,
    fetchOwnRecord,
  });
  const logKey = await checkLogKey(config, state.isBehind === true ? null : database);
  return [...problems, ...identity, ...logKey];
}

/** Whether a SQLite file can be written, or made. */
export async function checkWritable(options: DatabaseOptions): Promise<StartProblem[]> {
  if (options.engine !== 'sqlite') return [];
  const message = await whyDatabaseCannotBeWritten(options.path);
  return message === null ? [] : [{ setting: 'database.path', message, isError: true }];
}

async function checkHolder(options: DatabaseOptions): Promise<StartProblem[]> {
  const holder = await new ServerLock(options, systemClock).holder();
  if (holder === null) return [];
  const message = `is in use by ${holder}; unless that is this very service, the start is refused`;
  return [{ setting: 'database.path', message, isError: false }];
}
