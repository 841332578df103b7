import { open } from 'node:fs/promises';

import { storeUnavailable, errorCode } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import type { PostgresqlAdapterOptions } from './postgresql-adapter.js';
import type { SqliteAdapterOptions } from './sqlite/adapter.js';

type SqliteOptions = Omit<SqliteAdapterOptions, 'busyTimeoutMs'>;

/** Which database: one SQLite file (`path`, made when missing) or a PostgreSQL server (`url`). */
export type DatabaseOptions =
  | ({ engine: 'sqlite' } & SqliteOptions)
  | ({ engine: 'postgresql' } & PostgresqlAdapterOptions);

/**
 * Prisma's client for SQLite; the one for PostgreSQL is used under the same type, so what one lacks does not compile.
 */
export type Db = PrismaClient;

/**
 * The client inside a `$transaction` callback. There use only this one: the outer client waits for itself. Its models are
 * made at their first use: name them where they are used.
 */
export type DbTransaction = Omit<Db, '$connect' | '$disconnect' | '$on' | '$transaction' | '$extends'>;

/** A transaction under way. */
export interface OpenTransaction {
  readonly tx: DbTransaction;
  /** Calls `listener` once the transaction is committed, and never when it is rolled back. */
  readonly onCommitted: (listener: () => void) => void;
}

/** Commits what `work` wrote, or rolls it back when that rejects. */
export async function inTransaction<T>(
  { client }: Pick<Database, 'client'>,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const listeners: (() => void)[] = [];
  const onCommitted = (listener: () => void): void => void listeners.push(listener);
  const result = await client.$transaction((tx) => work({ tx, onCommitted }));
  for (const listener of listeners) listener();
  return result;
}

/** Rows of tables, as the client gives them. */
export type {
  AccessToken as AccessTokenRow,
  AdminSession as AdminSessionRow,
  BlockRule as BlockRuleRow,
  JobRun as JobRunRow,
  KeyRecord as KeyRecordRow,
  Media as MediaRow,
  MediaThumbnail as MediaThumbnailRow,
  PreviewCache as PreviewRow,
  RemoteServer as RemoteServerRow,
  VerifyKey as VerifyKeyRow,
} from './generated/sqlite/client.js';

/** An open database. Queries may fail with errors for which `isStoreUnavailable` holds; later ones work again. */
export interface Database {
  readonly engine: DatabaseOptions['engine'];
  /** Whether there may be other instances: on PostgreSQL alone. */
  readonly isShared: boolean;
  readonly client: Db;
  /** Where notifications of other processes are heard; `null` where there are none, as on SQLite. */
  readonly listenUrl: string | null;
  /** One cheap look, on SQLite whether it can be written to as well. Rejects with `storeUnavailable` when it fails. */
  ping(): Promise<void>;
  /** Resolves when whatever has been committed survives a power cut, on SQLite with `synchronous: normal` too. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Wait for another process, and for the turn among our own transactions. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Makes the client of the chosen engine; the other engine is not even loaded. Connects at the first query,
 * so a database that is down makes queries fail, never this call. Migrate first (`migrate`).
 */
export async function openDatabase(options: DatabaseOptions, logger: Logger): Promise<Database> {
  const { engine } = options;
  const client = engine === 'sqlite' ? await openSqlite(options) : await openPostgresql(options, logger);
  await client.$connect();
  return {
    engine,
    client,
    isShared: engine === 'postgresql',
    listenUrl: engine === 'postgresql' ? options.url : null,
    // PostgreSQL looks after its own log.
    sync: async () => (engine === 'sqlite' ? syncLogOf(options.path) : undefined),
    ping: async () => {
      try {
        // One that would write, so that a file counts as away that others keep locked or that is read-only.
        await client.stateValue.deleteMany({ where: { name: '' } });
      } catch (error) {
        throw storeUnavailable(error);
      }
    },
    close: () => client.$disconnect(),
  };
}

/** In ms. Prisma's defaults of 2 and 5 s are short: on SQLite transactions queue. */
const CLIENT_OPTIONS = {
  errorFormat: 'minimal',
  transactionOptions: { maxWait: 10_000, timeout: 15_000 },
} as const;

async function openSqlite({ path, synchronous }: SqliteOptions): Promise<Db> {
  const { sqliteAdapterFactory } = await import('./sqlite/adapter.js');
  const { PrismaClient } = await import('./generated/sqlite/client.js');
  const adapter = sqliteAdapterFactory({ path, synchronous, busyTimeoutMs: BUSY_TIMEOUT_MS });
  return new PrismaClient({ ...CLIENT_OPTIONS, adapter });
}

/** What is no longer in the log is in the database file, which SQLite flushes before it begins the log anew. */
async function syncLogOf(path: string): Promise<void> {
  const file = await open(`${path}-wal`, 'r+').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return;
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function openPostgresql(options: PostgresqlAdapterOptions, logger: Logger): Promise<Db> {
  const { postgresqlAdapterFactory } = await import('./postgresql-adapter.js');
  const { PrismaClient } = await import('./generated/postgresql/client.js');
  const adapter = postgresqlAdapterFactory(options, logger);
  const client = new PrismaClient({ ...CLIENT_OPTIONS, adapter });
  // The models are the same; the type for SQLite offers only what both engines can do.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- two generated classes of the same models
  return client as unknown as Db;
}
