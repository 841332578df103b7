// Which build is in use, and whether it is made of the sources beside it. Part of the package, which has no sources.
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { stampOf, stateOf } from './source-stamp.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** What the server is made of and what it reads when it runs, from the folder of the checkout. */
export const SERVER_SOURCES = [
  'src',
  'prisma/schema.prisma',
  'prisma/migrations',
  'scripts/bundle-server.mjs',
  'scripts/check-build.mjs',
  'scripts/generate.mjs',
  'scripts/link-tree.mjs',
  'scripts/postgresql-schema.mjs',
  'scripts/prepare.mjs',
  'scripts/source-stamp.mjs',
  'scripts/write-commit.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];

/** The same of the web UI. */
export const WEB_UI_SOURCES = [
  'web-admin',
  'scripts/generate-ui.mjs',
  'scripts/prepare.mjs',
  'package-lock.json',
];

/** The build in use: a link to a folder that is laid out as the package is. What runs knows that folder's own name. */
export const CURRENT = join(ROOT, 'dist', 'current');
/** Below a build, an empty file for each process that runs from it, named by its number. */
export const HOLDERS = 'holders';
/** The stamp of the server's sources that could not be built. */
export const FAILED = join(ROOT, 'dist', 'failed');
/** The state of the sources when they were last found to be those of the build in use. */
const STATE = join(CURRENT, '.sources');
/** What is said when the build in use is not of the sources because those could not be built. */
export const OLDER = 'these sources could not be built: what runs is the build before them';

const hasSources = existsSync(join(ROOT, 'src'));

/** Folder of the program: a worker's is that of the process that started it, whatever was built since. */
function programFolder() {
  return process.env.VIDIMUS_WORKER_PROGRAM ?? (hasSources ? CURRENT : ROOT);
}

/** Address of the module with `main`, of a build that stays while this process runs. */
export function holdProgram() {
  const folder = realpathSync(programFolder());
  if (hasSources) hold(join(folder, HOLDERS, String(process.pid)));
  return pathToFileURL(join(folder, 'dist', 'server', 'cli', 'main.js')).href;
}

function hold(file) {
  try {
    writeFileSync(file, '', { flag: 'wx' });
    process.once('exit', () => rmSync(file, { force: true }));
  } catch {
    // Where nothing can be written nothing is removed either.
  }
}

/** A sentence when the program cannot be run as it is (`error`), or can but is not that of the sources (`warning`). */
export function checkBuild() {
  const folder = programFolder();
  if (!existsSync(join(folder, 'dist', 'server', 'cli', 'main.js')))
    return { error: 'it is not built yet: run "npm start" or "npm run build" once' };
  if (folder !== CURRENT) return {};
  const holds = (file, text) => existsSync(file) && readFileSync(file, 'utf8') === text;
  const state = stateOf(ROOT, SERVER_SOURCES);
  if (holds(STATE, state)) return {};
  const stamp = stampOf(ROOT, SERVER_SOURCES);
  if (holds(join(CURRENT, 'dist', 'server', '.stamp'), stamp)) {
    keep(state);
    return {};
  }
  if (holds(FAILED, stamp)) return { warning: OLDER };
  return { error: 'dist was built from other sources than those beside it: run "npm run build"' };
}

/** Where the folder cannot be written, the next start reads all sources again. */
function keep(state) {
  try {
    writeFileSync(STATE, state);
  } catch {
    // Another user's.
  }
}
