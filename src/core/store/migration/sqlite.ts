import {
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import { MARK_APPLIED } from './rows.js';
import { SqliteConnection } from '../sqlite/connection.js';
import type { DriverConstructor } from '../sqlite/driver.js';
import { SQLITE_BUSY, isBusy, toAdapterError } from '../sqlite/sqlite-errors.js';
import { prepareSqliteFile } from '../sqlite/file.js';
import { execute, query } from '../sqlite/query.js';

const ADAPTER_NAME = 'vidimus-sqlite-migration';
/** Blocks the process: for the process of a migration only. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Adapter for the schema engine: one connection, each migration file in one transaction with its mark, so that a file
 * that fails leaves nothing behind.
 */
class MigrationSqliteAdapter implements SqlDriverAdapter {
  readonly provider = 'sqlite';
  readonly adapterName = ADAPTER_NAME;

  constructor(readonly connection: SqliteConnection) {}

  async queryRaw(sqlQuery: SqlQuery): Promise<SqlResultSet> {
    // The engine would lock the file for as long as the process lives; starters are kept apart by `migrate`.
    if (/^PRAGMA main\.locking_mode\s*=/i.test(sqlQuery.sql)) return EMPTY_RESULT;
    return attempt(() => query(this.connection, sqlQuery));
  }

  async executeRaw(sqlQuery: SqlQuery): Promise<number> {
    if (/^PRAGMA main\.locking_mode\s*=/i.test(sqlQuery.sql)) return 0;
    if (sqlQuery.args.length > 0) return attempt(() => execute(this.connection, sqlQuery));
    await this.executeScript(sqlQuery.sql);
    return 0;
  }

  async executeScript(script: string): Promise<void> {
    attempt(() => {
      // Foreign keys are off on this connection, as rebuilding a table needs it, and checked at the end.
      this.connection.exec('BEGIN IMMEDIATE');
      try {
        this.connection.exec(script);
        this.connection.exec(MARK_APPLIED);
        this.#checkForeignKeys();
        this.connection.exec('COMMIT');
      } finally {
        if (this.connection.isTransaction) this.connection.exec('ROLLBACK');
      }
    });
  }

  async startTransaction(): Promise<never> {
    throw new Error('The schema engine is not expected to open a transaction');
  }

  async dispose(): Promise<void> {
    this.connection.close();
  }

  #checkForeignKeys(): void {
    const [broken] = this.connection.prepare('PRAGMA foreign_key_check').statement.all();
    if (broken !== undefined)
      throw new Error(`The migration breaks a foreign key of table ${String(broken[0])}`);
  }
}

const EMPTY_RESULT: SqlResultSet = { columnNames: [], columnTypes: [], rows: [] };

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw toAdapterError(error);
    // The engine does not know the kind that stands for "busy" elsewhere.
    throw new DriverAdapterError({
      kind: 'sqlite',
      extendedCode: SQLITE_BUSY,
      message: 'database is locked',
    });
  }
}

/** Factory for the schema engine; `path` may be `:memory:`. */
export function migrationSqliteFactory(
  driver: DriverConstructor,
  path: string,
): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: 'sqlite',
    adapterName: ADAPTER_NAME,
    connect: async () => {
      if (path !== ':memory:') prepareSqliteFile(path);
      const pragmas = ['journal_mode = WAL', 'foreign_keys = OFF', 'synchronous = FULL'];
      return new MigrationSqliteAdapter(
        attempt(() => new SqliteConnection(driver, { path, timeoutMs: BUSY_TIMEOUT_MS, pragmas })),
      );
    },
    connectToShadowDb: () => Promise.reject(new Error('No shadow database is ever made')),
  };
}
