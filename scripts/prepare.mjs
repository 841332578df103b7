// Brings a checkout into a runnable state: packages, generated code, server, web UI. Skips what is done.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { CURRENT, FAILED, HOLDERS, OLDER, SERVER_SOURCES, WEB_UI_SOURCES } from './check-build.mjs';
import { install } from './install.mjs';
import { installedPackages, isInstalled } from './installed.mjs';
import { linkTree } from './link-tree.mjs';
import { isAlive, namesIn, withLock } from './prepare-lock.mjs';
import { StepError, runStep } from './run-step.mjs';
import { stampOf } from './source-stamp.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

const DIST = join(ROOT, 'dist');
const BUILDS = join(DIST, 'builds');
const MODULES = join(ROOT, 'node_modules');

/** What is built: the folder below dist of the build, what it is made of, and the programs that write it into `output`. */
const SERVER = {
  name: 'server',
  sources: SERVER_SOURCES,
  skip: [],
  async compile(output) {
    await run('the build', [join(MODULES, 'typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
    await run('the build', [join(ROOT, 'scripts/bundle-server.mjs'), output]);
  },
};
const WEB_UI = {
  name: 'web-admin',
  sources: WEB_UI_SOURCES,
  skip: ['web-admin/src/gql'],
  async compile(output) {
    await run('generating the types of the web UI', [join(ROOT, 'scripts/generate-ui.mjs')]);
    const config = join(ROOT, 'web-admin/vite.config.ts');
    const options = ['--config', config, '--outDir', output, '--logLevel', 'warn'];
    // With another value, as tests have it, React's slower and larger development form would be bundled.
    const env = { ...process.env, NODE_ENV: 'production' };
    await run('the build of the web UI', [join(MODULES, 'vite/bin/vite.js'), 'build', ...options], { env });
  },
};

const PARTS = [WEB_UI, SERVER];

/**
 * Does whatever is missing; two at once wait for each other. When a step fails or is stopped the process ends; with
 * `orOlder` it goes on after a failure if there is a build of before.
 */
export async function prepare({ orOlder = false } = {}) {
  if (isInstalled(ROOT) && (await isMade())) return;
  try {
    await locked(prepareHere);
  } catch (error) {
    const { isStop = false, exitCode = 1 } = error;
    say(error instanceof StepError ? error.message : error.stack);
    if (isStop || !existsSync(CURRENT)) process.exit(exitCode);
    writeFileSync(FAILED, stampOf(ROOT, SERVER_SOURCES));
    if (!orOlder) process.exit(exitCode);
    say(OLDER);
  }
}

/** Puts the build in use where `npm pack` finds it, since it packs no links. */
export async function layOut() {
  await locked(() => {
    for (const { name } of PARTS) {
      const [from, to, fresh] = [join(CURRENT, 'dist', name), join(DIST, name), join(DIST, `${name}.new`)];
      if (stampIn(to) === stampIn(from)) continue;
      rmSync(fresh, { recursive: true, force: true });
      cpSync(from, fresh, { recursive: true });
      rmSync(to, { recursive: true, force: true });
      renameSync(fresh, to);
    }
  });
}

function locked(work) {
  mkdirSync(DIST, { recursive: true });
  const onWait = () => say('another start is preparing this checkout; waiting for it …');
  return withLock(join(DIST, 'prepare.lock'), { onWait }, work);
}

/** The packages of before come back when what is built with the new ones fails. */
async function prepareHere(hold) {
  const packages = isInstalled(ROOT) ? null : await install(ROOT, { hold, say });
  try {
    if (await mustGenerate())
      await run('generating the database clients', [join(ROOT, 'scripts', 'generate.mjs')]);
    if (!PARTS.every(isBuilt)) await build();
  } catch (error) {
    packages?.undo();
    throw error;
  }
  packages?.keep();
}

async function isMade() {
  return !(await mustGenerate()) && PARTS.every(isBuilt);
}

async function mustGenerate() {
  const { isGenerated } = await import('./generate.mjs');
  return !(await isGenerated());
}

function isBuilt(part) {
  return stampIn(join(CURRENT, 'dist', part.name)) === stampOf(ROOT, part.sources, part);
}

function stampIn(folder) {
  const file = join(folder, '.stamp');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/**
 * Makes a folder with all that the program reads of the checkout, and changes the link over to it. The build of before
 * stays, and any that a process runs from. One that fails or is cut short changes nothing.
 */
async function build() {
  const stamps = PARTS.map((part) => stampOf(ROOT, part.sources, part));
  const name = createHash('sha256').update(stamps.join()).digest('hex').slice(0, 16);
  const [built, fresh] = [join(BUILDS, name), join(BUILDS, `${name}.new`)];
  const before = existsSync(CURRENT) ? basename(readlinkSync(CURRENT)) : '';
  if (!existsSync(built)) {
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    for (const [at, part] of PARTS.entries())
      await makePart(part, join(fresh, 'dist', part.name), stamps[at]);
    copyFileSync(join(ROOT, 'package.json'), join(fresh, 'package.json'));
    cpSync(join(ROOT, 'prisma/migrations'), join(fresh, 'prisma/migrations'), { recursive: true });
    for (const place of installedPackages(ROOT)) linkTree(join(ROOT, place), join(fresh, place));
    makeHolders(join(fresh, HOLDERS));
    renameSync(fresh, built);
  }
  rmSync(`${CURRENT}.new`, { force: true });
  symlinkSync(join('builds', name), `${CURRENT}.new`);
  renameSync(`${CURRENT}.new`, CURRENT);
  rmSync(FAILED, { force: true });
  for (const other of readdirSync(BUILDS).filter((each) => each !== name && each !== before))
    if (!isHeld(join(BUILDS, other))) removeBuild(join(BUILDS, other));
}

/** Servers may run as another user than who builds. */
function makeHolders(folder) {
  mkdirSync(folder);
  chmodSync(folder, 0o1777);
}

function isHeld(folder) {
  const pids = namesIn(join(folder, HOLDERS)).filter((name) => /^[1-9]\d*$/.test(name));
  return pids.some((pid) => isAlive(Number(pid)));
}

function removeBuild(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    say(`the build ${folder}, which nobody uses, cannot be removed: ${error.message}`);
  }
}

async function makePart(part, output, stamp) {
  if (isBuilt(part)) return linkTree(join(CURRENT, 'dist', part.name), output);
  say(`building the ${part.name === 'server' ? 'server' : 'web UI'} …`);
  await part.compile(output);
  writeFileSync(join(output, '.stamp'), stamp);
}

/** Runs a program of Node in the checkout. */
function run(what, args, { env } = {}) {
  return runStep(what, process.execPath, args, { cwd: ROOT, env });
}

function say(text) {
  process.stderr.write(`vidimus: ${text}\n`);
}
