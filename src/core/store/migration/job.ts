import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { DatabaseOptions } from '../db.js';
import { MigrationEngine } from './engine.js';
import { readMigrations } from './files.js';
import { loadSqliteDriver } from '../sqlite/driver.js';
import { FORGET_TAKEN_BACK, readMigrationRows } from './rows.js';

/** What the process of a migration is told to do. */
export interface MigrationJob {
  options: DatabaseOptions;
  /** Folder with the migrations. */
  folder: string;
  /** Where a copy of the SQLite file goes first; null for none. */
  copyPath: string | null;
}

/** Makes the copy and applies everything pending. Resolves to the names applied. */
export async function runMigrationJob({ options, folder, copyPath }: MigrationJob): Promise<string[]> {
  if (options.engine === 'sqlite' && copyPath !== null) await copySqlite(options.path, copyPath);
  const engine = await MigrationEngine.load();
  const factory = await engineFactory(options);
  const isTakenBack = (await readMigrationRows(options)).some(({ state }) => state === 'taken_back');
  if (isTakenBack) await runScript(factory, FORGET_TAKEN_BACK);
  const result = await engine.use(factory, (schemaEngine) =>
    schemaEngine.applyMigrations({
      migrationsList: readMigrations(folder),
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return result.appliedMigrationNames;
}

async function runScript(factory: SqlMigrationAwareDriverAdapterFactory, script: string): Promise<void> {
  const adapter = await factory.connect();
  try {
    await adapter.executeScript(script);
  } finally {
    await adapter.dispose();
  }
}

async function engineFactory(options: DatabaseOptions) {
  if (options.engine === 'postgresql') {
    const { migrationPostgresqlFactory } = await import('./postgresql.js');
    return migrationPostgresqlFactory(options.url);
  }
  const { migrationSqliteFactory } = await import('./sqlite.js');
  return migrationSqliteFactory(loadSqliteDriver(), options.path);
}

/** A whole and consistent copy, readable by its owner only. It takes its name when it is complete. */
async function copySqlite(path: string, copyPath: string): Promise<void> {
  const unfinished = `${copyPath}.unfinished`;
  rmSync(unfinished, { force: true });
  // VACUUM INTO accepts an empty file and keeps its mode.
  closeSync(openSync(unfinished, 'wx', 0o600));
  const driver = loadSqliteDriver();
  const database = new driver(path, { timeout: 5000 });
  try {
    database.prepare('VACUUM INTO ?').run(unfinished);
    renameSync(unfinished, copyPath);
  } finally {
    database.close();
    rmSync(unfinished, { force: true });
  }
}
