// Makes both Prisma clients from prisma/schema.prisma. Does nothing when they are already up to date.
// `prisma generate` alone would try to fetch the schema engine from the network; naming any existing
// file as that engine keeps it offline (the engine itself is not needed to generate).
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { toPostgresqlSchema } from './postgresql-schema.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = join(ROOT, 'prisma/schema.prisma');
const DERIVED = join(ROOT, 'prisma/generated/schema.postgresql.prisma');
const OUTPUT = join(ROOT, 'src/core/store/generated');
const STAMP = join(OUTPUT, '.stamp');

const require = createRequire(import.meta.url);
const run = promisify(execFile);

async function expectedStamp(source) {
  const hash = createHash('sha256').update(source);
  hash.update(require('prisma/package.json').version);
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

async function generateClient(schemaFile) {
  const cli = join(dirname(require.resolve('prisma/package.json')), 'build/index.js');
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  const options = { cwd: ROOT, env, maxBuffer: 16 * 1024 * 1024 };
  await run(process.execPath, [cli, 'generate', '--schema', schemaFile, '--no-hints'], options);
}

/** Generates what is missing or stale; resolves to true when something was written. */
export async function generate() {
  const source = await readFile(SOURCE, 'utf8');
  const stamp = await expectedStamp(source);
  if (await isUpToDate(stamp)) return false;
  await rm(STAMP, { force: true });
  await mkdir(dirname(DERIVED), { recursive: true });
  await writeFile(DERIVED, toPostgresqlSchema(source));
  await Promise.all([generateClient(SOURCE), generateClient(DERIVED)]);
  await writeFile(STAMP, stamp);
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log((await generate()) ? 'database clients generated' : 'database clients are up to date');
  } catch (error) {
    console.error(error.stderr || error.stdout || error);
    process.exitCode = 1;
  }
}
