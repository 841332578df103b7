import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import type { DatabaseOptions } from '../src/core/store/db.js';
import { sqliteAdapterFactory } from '../src/core/store/sqlite/adapter.js';
import type { MigrationEngine } from './schema-engine.js';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** The oldest server the migrations are written for: PostgreSQL 15. */
const POSTGRESQL_VERSION = 150_000;

/** SQL that makes the tables of a model file, and our triggers, in an empty database. Needs no database. */
export async function createScript(
  migrationEngine: MigrationEngine,
  engine: DatabaseOptions['engine'],
  models: string,
): Promise<string> {
  const factory = engine === 'sqlite' ? schemaSqliteFactory(':memory:') : stubPostgresql();
  const result = await migrationEngine.use(factory, (schemaEngine) =>
    schemaEngine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: models }] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  const triggers = await readFile(join(ROOT, `prisma/triggers/${engine}.sql`), 'utf8');
  return `${(result.stdout ?? '').trimEnd()}\n\n${triggers}`;
}

/** Our adapter for SQLite as the schema engine takes it. */
export function schemaSqliteFactory(path: string): SqlMigrationAwareDriverAdapterFactory {
  const options = { path, synchronous: 'normal' as const, busyTimeoutMs: 5000 };
  return {
    ...sqliteAdapterFactory(options),
    provider: 'sqlite',
    connectToShadowDb: refuse,
  };
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
