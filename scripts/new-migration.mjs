// node scripts/new-migration.mjs NAME: writes the next migration for both engines from the difference between
// prisma/schema.prisma and the model file kept beside the newest migration. Needs no database.
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';
import { toPostgresqlSchema } from './postgresql-schema.mjs';

register();
const { MigrationEngine } = await import('../src/core/store/migration/engine.ts');
const { diffModels } = await import('./model-diff.ts');

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const KEPT_MODELS = 'schema.prisma';

async function lastModels(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const last = entries.filter((entry) => entry.isDirectory()).at(-1);
  const file = last === undefined ? null : join(folder, last.name, KEPT_MODELS);
  return file !== null && existsSync(file) ? readFile(file, 'utf8') : null;
}

async function writeMigration({ provider, models, name, migrationEngine }) {
  const folder = join(ROOT, 'prisma/migrations', provider);
  await mkdir(folder, { recursive: true });
  const from = await lastModels(folder);
  const sql = await diffModels(migrationEngine, provider, { from, to: models });
  if (!/^[A-Z]/m.test(sql.replace(/^--.*$/gm, ''))) return null;
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'migration.sql'), sql);
  await writeFile(join(folder, name, KEPT_MODELS), models);
  const lock = `# Made by scripts/new-migration.mjs; do not edit.\nprovider = "${provider}"\n`;
  await writeFile(join(folder, 'migration_lock.toml'), lock);
  return join(folder, name, 'migration.sql');
}

const label = process.argv[2] ?? '';
if (!/^[a-z0-9_]+$/.test(label)) {
  console.error('use: node scripts/new-migration.mjs NAME   (lower case letters, digits, _)');
  process.exit(2);
}
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const name = `${stamp}_${label}`;
const sqliteModels = await readFile(join(ROOT, 'prisma/schema.prisma'), 'utf8');
const migrationEngine = await MigrationEngine.load();
for (const [provider, models] of [
  ['sqlite', sqliteModels],
  ['postgresql', toPostgresqlSchema(sqliteModels)],
]) {
  const file = await writeMigration({ provider, models, name, migrationEngine });
  console.log(file === null ? `${provider}: the models have not changed` : `${provider}: ${file}`);
}
