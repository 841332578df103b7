// Writes the one migration of each engine from prisma/schema.prisma and prisma/triggers/*.sql. Needs no database; the
// same sources give the same bytes.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toPostgresqlSchema } from './postgresql-schema.mjs';

await import('./typescript.mjs');
const { MigrationEngine } = await import('./schema-engine.ts');
const { createScript } = await import('./model-diff.ts');

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const NAME = '20261128000000_init';

const models = await readFile(join(ROOT, 'prisma/schema.prisma'), 'utf8');
const migrationEngine = await MigrationEngine.load();
for (const [engine, itsModels] of [
  ['sqlite', models],
  ['postgresql', toPostgresqlSchema(models)],
]) {
  const folder = join(ROOT, 'prisma/migrations', engine);
  await mkdir(join(folder, NAME), { recursive: true });
  await writeFile(
    join(folder, NAME, 'migration.sql'),
    await createScript(migrationEngine, engine, itsModels),
  );
}
