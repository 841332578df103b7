import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type QueryResult } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseOptions } from '../../../src/core/store/db.js';
import { MigrationEngine } from '../../../scripts/schema-engine.js';
import { migrationNames, migrationsFolder } from '../../../src/core/store/migration-files.js';
import { createScript, schemaSqliteFactory } from '../../../scripts/model-diff.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';

const EMPTY = /^-- This is an empty migration\.\s*$/;
const CATALOG_CHAR = 18;
const TEXT = 25;

/** The adapter cannot read the catalog's type "char", which the engine asks for; here it passes as text. */
class CatalogPool extends Pool {
  override query = ((...args: Parameters<Pool['query']>) => {
    const result = super.query(...args) as unknown as Promise<QueryResult>;
    return result.then(readCharAsText);
  }) as unknown as Pool['query'];
}

function readCharAsText(result: QueryResult): QueryResult {
  for (const field of result.fields) if (field.dataTypeID === CATALOG_CHAR) field.dataTypeID = TEXT;
  return result;
}

async function factoryFor(options: DatabaseOptions): Promise<SqlMigrationAwareDriverAdapterFactory> {
  if (options.engine === 'sqlite') return schemaSqliteFactory(options.path);
  const pool = new CatalogPool({ connectionString: options.url, max: 1 });
  return new PrismaPg(pool, { disposeExternalPool: true });
}

describe.each(testEngines())('migrations on %s', (engine) => {
  const modelFile =
    engine === 'sqlite' ? 'prisma/schema.prisma' : 'prisma/generated/schema.postgresql.prisma';
  const models = readFileSync(modelFile, 'utf8');
  let migrationEngine: MigrationEngine;
  let place: TestDatabase;

  beforeAll(async () => {
    migrationEngine = await loadOnce();
    place = await createTestDatabase(engine);
  });
  afterAll(() => place.cleanup());

  it('say what the models say', async () => {
    const [name = ''] = migrationNames(migrationsFolder(engine));
    const written = readFileSync(join(migrationsFolder(engine), name, 'migration.sql'), 'utf8');
    expect(await createScript(migrationEngine, engine, models)).toBe(written);
  });

  it('make a database that equals the models', async () => {
    const files = [{ path: 'schema.prisma', content: models }];
    const result = await migrationEngine.use(await factoryFor(place.options), (schemaEngine) =>
      schemaEngine.diff({
        from: { tag: 'schemaDatasource', files, configDir: '.' },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: null,
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    expect(result.stdout).toMatch(EMPTY);
  });
});

// A second instance of the engine in one process panics.
let loading: Promise<MigrationEngine> | null = null;
function loadOnce(): Promise<MigrationEngine> {
  loading ??= MigrationEngine.load();
  return loading;
}
