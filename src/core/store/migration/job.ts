import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseOptions } from '../db.js';
import { MigrationEngine } from './engine.js';
import { readMigrations } from './files.js';
import { loadSqliteDriver } from '../sqlite/driver.js';

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
  const result = await engine.use(factory, (schemaEngine) =>
    schemaEngine.applyMigrations({
      migrationsList: readMigrations(folder),
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return result.appliedMigrationNames;
}

async function engineFactory(options: DatabaseOptions) {
  if (options.engine === 'postgresql') {
    const { migrationPostgresqlFactory } = await import('./postgresql.js');
    return migrationPostgresqlFactory(options.url);
  }
  const { migrationSqliteFactory } = await import('./sqlite.js');
  return migrationSqliteFactory(await loadSqliteDriver(), options.path);
}

/** A whole and consistent copy, readable by its owner only. It takes its name when it is complete. */
async function copySqlite(path: string, copyPath: string): Promise<void> {
  const unfinished = `${copyPath}.unfinished`;
  rmSync(unfinished, { force: true });
  // VACUUM INTO accepts an empty file and keeps its mode.
  closeSync(openSync(unfinished, 'wx', 0o600));
  const driver = await loadSqliteDriver();
  const database = new driver(path, { timeout: 5000 });
  try {
    database.prepare('VACUUM INTO ?').run(unfinished);
  } finally {
    database.close();
  }
  renameSync(unfinished, copyPath);
}
