// Makes both Prisma clients from prisma/schema.prisma. Does nothing when they are already up to date.
// Prisma's command does the same with its generator, but installs 140 MB of studio, engines and databases with it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { toPostgresqlSchema } from './postgresql-schema.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = join(ROOT, 'prisma/schema.prisma');
const DERIVED = join(ROOT, 'prisma/generated/schema.postgresql.prisma');
const OUTPUT = join(ROOT, 'src/core/store/generated');
const STAMP = join(OUTPUT, '.stamp');

const require = createRequire(import.meta.url);
const { enginesVersion: ENGINES_VERSION } = require('@prisma/engines-version');

async function expectedStamp(source) {
  const hash = createHash('sha256').update(source);
  hash.update(require('@prisma/client/package.json').version);
  for (const script of ['generate.mjs', 'postgresql-schema.mjs']) {
    hash.update(await readFile(join(ROOT, 'scripts', script)));
  }
  return hash.digest('hex');
}

/** True when both clients are those of the present model file and Prisma version. */
export async function isGenerated() {
  return isUpToDate(await expectedStamp(await readFile(SOURCE, 'utf8')));
}

async function isUpToDate(stamp) {
  if (!existsSync(join(OUTPUT, 'sqlite/client.ts')) || !existsSync(join(OUTPUT, 'postgresql/client.ts'))) {
    return false;
  }
  return existsSync(STAMP) && (await readFile(STAMP, 'utf8')) === stamp;
}

async function generateClient(file) {
  // Their modules for `import` cannot be loaded by Node.
  const { getGenerator, loadSchemaContext } = require('@prisma/internals');
  const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
  const generator = await getGenerator({
    schemaContext: await loadSchemaContext({
      schemaPath: { cliProvidedPath: file },
      printLoadMessage: false,
    }),
    registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
    version: ENGINES_VERSION,
    skipDownload: true,
    cliCommand: 'generate',
  });
  await generator.generate();
  generator.stop();
}

/** Generates what is missing or stale; resolves to true when something was written. */
export async function generate() {
  const source = await readFile(SOURCE, 'utf8');
  const stamp = await expectedStamp(source);
  if (await isUpToDate(stamp)) return false;
  await rm(STAMP, { force: true });
  await mkdir(dirname(DERIVED), { recursive: true });
  await writeFile(DERIVED, toPostgresqlSchema(source));
  await generateClient(SOURCE);
  await generateClient(DERIVED);
  await writeFile(STAMP, stamp);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log((await generate()) ? 'database clients generated' : 'database clients are up to date');
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
