import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type QueryResult } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseOptions } from '../../../src/core/store/db.js';
import { MigrationEngine } from '../../../src/core/store/migration/engine.js';
import { migrationNames, migrationsFolder } from '../../../src/core/store/migration/files.js';
import { diffModels } from '../../../scripts/model-diff.js';
import { migrationSqliteFactory } from '../../../src/core/store/migration/sqlite.js';
import { loadSqliteDriver } from '../../../src/core/store/sqlite/driver.js';
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
  if (options.engine === 'sqlite') return migrationSqliteFactory(loadSqliteDriver(), options.path);
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

  it('keep beside the newest one the models as they are now', async () => {
    const folder = migrationsFolder(engine);
    const kept = readFileSync(join(folder, migrationNames(folder).at(-1) ?? '', 'schema.prisma'), 'utf8');
    expect(await diffModels(migrationEngine, engine, { from: kept, to: models })).toMatch(EMPTY);
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

  it('would be told apart from other models', async () => {
    const other = models.replace('lastUsedTs  BigInt?', 'lastUsedTs  String?');
    expect(other).not.toBe(models);
    const difference = await diffModels(migrationEngine, engine, { from: models, to: other });
    expect(difference).toContain('last_used_ts');
  });
});

// A second instance of the engine in one process panics.
let loading: Promise<MigrationEngine> | null = null;
function loadOnce(): Promise<MigrationEngine> {
  loading ??= MigrationEngine.load();
  return loading;
}
