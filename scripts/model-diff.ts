import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import type { DiffTarget } from '@prisma/schema-engine-wasm';
import type { DatabaseOptions } from '../src/core/store/db.js';
import type { MigrationEngine } from '../src/core/store/migration/engine.js';
import { migrationSqliteFactory } from '../src/core/store/migration/sqlite.js';
import { loadSqliteDriver } from '../src/core/store/sqlite/driver.js';

/** The oldest server the migrations are written for: PostgreSQL 15. */
const POSTGRESQL_VERSION = 150_000;

/**
 * SQL that leads from one model file to another, without any database. `from` is null for the first
 * migration. The text is empty or a comment when there is nothing to do.
 */
export async function diffModels(
  migrationEngine: MigrationEngine,
  engine: DatabaseOptions['engine'],
  models: { from: string | null; to: string },
): Promise<string> {
  const factory =
    engine === 'sqlite' ? migrationSqliteFactory(loadSqliteDriver(), ':memory:') : stubPostgresql();
  const result = await migrationEngine.use(factory, (schemaEngine) =>
    schemaEngine.diff({
      from: models.from === null ? { tag: 'empty' } : target(models.from),
      to: target(models.to),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return result.stdout ?? '';
}

function target(content: string): DiffTarget {
  return { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('There is no database here'));
}

/** Answers the one question the engine asks before it compares model files. */
function stubPostgresql(): SqlMigrationAwareDriverAdapterFactory {
  const adapter: SqlDriverAdapter = {
    provider: 'postgres',
    adapterName: 'stub',
    queryRaw: answerVersion,
    executeRaw: async () => 0,
    executeScript: refuse,
    startTransaction: refuse,
    dispose: async () => undefined,
  };
  return {
    provider: 'postgres',
    adapterName: 'stub',
    connect: async () => adapter,
    connectToShadowDb: refuse,
  };
}

async function answerVersion({ sql }: SqlQuery): Promise<SqlResultSet> {
  if (!sql.includes('server_version')) throw new Error(`Unexpected question of the schema engine: ${sql}`);
  return {
    columnNames: ['exists', 'version', 'numeric_version'],
    columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
    rows: [[true, 'PostgreSQL 15.0', POSTGRESQL_VERSION]],
  };
}
