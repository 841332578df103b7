import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { Logger } from '../../base/logger.js';
import type { DatabaseOptions } from '../db.js';
import { migrate, migrationStatus } from '../migrate.js';
import { migrationNames, migrationsFolder } from '../migration/files.js';
import { CopyRefusal, fill, filledTables, markUnfinished, markWhole, type FillState } from './fill.js';
import { openRows } from './open-rows.js';
import type { RowSource, RowStore } from './row-store.js';

export interface FillOptions {
  target: DatabaseOptions;
  source: RowSource;
  logger: Logger;
}

/**
 * Makes the tables of the source in an empty database; from then on no server starts on it until it is filled. One that
 * was begun already stays as it is. Rejects with `CopyRefusal` for what is neither, and with the errors of `migrate`.
 */
export async function beginFilling(options: FillOptions): Promise<void> {
  const { target, source } = options;
  const before = await migrationStatus(target);
  const isBegun = before.isBeingFilled;
  if (!isBegun) await makeTables(options, before.applied.length === 0);
  const { applied } = await migrationStatus(target);
  if (applied.join() !== source.migrations.join())
    throw new CopyRefusal('The tables of the target are those of another version. Name an empty database.');
  if (!isBegun) await withRows(target, markUnfinished);
}

/**
 * Begins, fills the tables, and brings them to this program's state. One that was begun to be filled from the same
 * source is filled further. Rejects like `beginFilling`.
 */
export async function fillDatabase(options: FillOptions, state: FillState): Promise<void> {
  const { target, source, logger } = options;
  await beginFilling(options);
  await withRows(target, async (store) => {
    await fill(source, store, state);
    await markWhole(store);
  });
  await migrate(target, logger);
}

async function makeTables({ target, source, logger }: FillOptions, isNew: boolean): Promise<void> {
  const known = migrationNames(migrationsFolder(target.engine));
  if (known.slice(0, source.migrations.length).join() !== source.migrations.join())
    throw new CopyRefusal('The source was made by a newer version of the program. Install that version.');
  const filled = await withRows(target, async (store) =>
    isNew ? store.tables.map(({ name }) => name) : filledTables(store),
  );
  if (filled.length > 0) {
    const some = `${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ', …' : ''}`;
    throw new CopyRefusal(
      `The target is not empty: it has ${some}. Nothing was changed; name an empty database.`,
    );
  }
  const folder = migrationsFolder(target.engine);
  if (source.migrations.length === known.length) await migrate(target, logger, folder);
  else await migrateTo(source.migrations, folder, (some) => migrate(target, logger, some));
}

/** Migrates from a folder without the later migrations. */
async function migrateTo(
  names: readonly string[],
  folder: string,
  migrateFrom: (folder: string) => Promise<unknown>,
): Promise<void> {
  const some = mkdtempSync(join(tmpdir(), 'vidimus-migrations-'));
  const left = new Set(migrationNames(folder).filter((name) => !names.includes(name)));
  try {
    cpSync(folder, some, { recursive: true, filter: (path) => !left.has(basename(path)) });
    await migrateFrom(some);
  } finally {
    rmSync(some, { recursive: true });
  }
}

async function withRows<T>(options: DatabaseOptions, work: (store: RowStore) => Promise<T>): Promise<T> {
  const store = await openRows(options, 'write');
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
