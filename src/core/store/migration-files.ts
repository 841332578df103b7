import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatabaseOptions } from './db.js';

const SCRIPT_FILE = 'migration.sql';

/** Folder of the installed package, or of the checkout. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'prisma/migrations'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('The folder prisma/migrations is missing from this installation');
    folder = parent;
  }
  return folder;
}

/** Folder of the built server and web UI. */
export function builtFolder(): string {
  return join(packageRoot(), 'dist');
}

export function migrationsFolder(engine: DatabaseOptions['engine']): string {
  return join(packageRoot(), 'prisma/migrations', engine);
}

/** Names of the migrations this program knows, oldest first. */
export function migrationNames(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map((entry) => entry.name).sort();
}

/** The migrations of this program, oldest first, with the SHA-256 of the script that Prisma keeps in the database. */
export function readMigrations(folder: string) {
  return migrationNames(folder).map((name) => {
    const script = readFileSync(join(folder, name, SCRIPT_FILE), 'utf8');
    return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
  });
}

/** When this program was made, as its newest migration tells by its name; POSIX ms. */
export function programTs(engine: DatabaseOptions['engine']): number {
  const [, year, month, day] =
    /^(\d{4})(\d\d)(\d\d)/.exec(migrationNames(migrationsFolder(engine)).at(-1) ?? '') ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}
