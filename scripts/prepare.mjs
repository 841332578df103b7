// Brings a checkout into a runnable state: packages, generated clients, build. Skips what is done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isInstalled } from './installed.mjs';
import { withLock } from './prepare-lock.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

const DIST = join(ROOT, 'dist');
const BUILD = join(DIST, 'server');
const BUILD_STAMP = join(BUILD, '.stamp');
const NEW_BUILD = join(DIST, 'server.new');
const OLD_BUILD = join(DIST, 'server.old');

/** Does whatever is missing; two at once wait for each other. Ends the process when a step fails. */
export async function prepare() {
  if (isInstalled(ROOT) && !(await mustGenerate()) && isBuilt()) return;
  mkdirSync(DIST, { recursive: true });
  const onWait = () => say('another start is preparing this checkout; waiting for it …');
  await withLock(join(DIST, 'prepare.lock'), { onWait }, async () => {
    if (!isInstalled(ROOT)) install();
    if (await mustGenerate())
      run('generating the database clients', process.execPath, [join(ROOT, 'scripts', 'generate.mjs')]);
    if (!isBuilt()) build();
  });
}

function install() {
  say('installing packages from the lockfile; this takes a minute at most …');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm) run('npm ci', process.execPath, [npm, ...args]);
  else run('npm ci', process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  if (!isInstalled(ROOT))
    fail('npm ci ended well but packages are missing; remove node_modules and try again');
}

async function mustGenerate() {
  const { isGenerated } = await import('./generate.mjs');
  return !(await isGenerated());
}

function isBuilt() {
  return existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, 'utf8') === hashOfSources();
}

/** Compiles into a folder of its own: a build that fails or is cut short leaves the last one alone. */
function build() {
  say('building …');
  const stamp = hashOfSources();
  rmSync(NEW_BUILD, { recursive: true, force: true });
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  run('the build', process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', NEW_BUILD]);
  writeFileSync(join(NEW_BUILD, '.stamp'), stamp);
  rmSync(OLD_BUILD, { recursive: true, force: true });
  if (existsSync(BUILD)) renameSync(BUILD, OLD_BUILD);
  renameSync(NEW_BUILD, BUILD);
  rmSync(OLD_BUILD, { recursive: true, force: true });
}

function hashOfSources() {
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((name) =>
    join(ROOT, name),
  );
  const hash = createHash('sha256');
  for (const file of [...filesBelow(join(ROOT, 'src')), ...settings]) {
    hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Runs a program in the checkout, its output beside ours; a failure ends this process. */
function run(what, command, args) {
  const { error, status, signal } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (error) fail(`${what} could not be run: ${error.message}`);
  if (status !== 0) fail(`${what} ended with ${signal ?? `code ${status}`}`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function say(text) {
  process.stderr.write(`vidimus: ${text}\n`);
}
