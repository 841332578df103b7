// Brings a checkout into a runnable state: packages, generated code, server, web UI. Skips what is done.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SERVER_SOURCES } from './check-build.mjs';
import { isInstalled } from './installed.mjs';
import { withLock } from './prepare-lock.mjs';
import { stampOf } from './source-stamp.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

const DIST = join(ROOT, 'dist');
const MODULES = join(ROOT, 'node_modules');

/** What is built: the folder below dist, what it is made of, and the programs that write it into `output`. */
const SERVER = {
  name: 'server',
  sources: SERVER_SOURCES,
  skip: [],
  compile(output) {
    run('the build', [join(MODULES, 'typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
    run('the build', [join(ROOT, 'scripts/bundle-server.mjs'), output]);
  },
};
const WEB_UI = {
  name: 'web-admin',
  sources: ['web-admin', 'scripts/generate-ui.mjs', 'scripts/prepare.mjs', 'package-lock.json'],
  skip: ['web-admin/src/gql'],
  compile(output) {
    run('generating the types of the web UI', [join(ROOT, 'scripts/generate-ui.mjs')]);
    const config = join(ROOT, 'web-admin/vite.config.ts');
    const options = ['--config', config, '--outDir', output, '--logLevel', 'warn'];
    // With another value, as tests have it, React's slower and larger development form would be bundled.
    const env = { ...process.env, NODE_ENV: 'production' };
    run('the build of the web UI', [join(MODULES, 'vite/bin/vite.js'), 'build', ...options], { env });
  },
};

/** Does whatever is missing; two at once wait for each other. Ends the process when a step fails. */
export async function prepare() {
  if (isInstalled(ROOT) && !(await mustGenerate()) && isBuilt(SERVER) && isBuilt(WEB_UI)) return;
  mkdirSync(DIST, { recursive: true });
  const onWait = () => say('another start is preparing this checkout; waiting for it …');
  await withLock(join(DIST, 'prepare.lock'), { onWait }, async () => {
    if (!isInstalled(ROOT)) install();
    if (await mustGenerate()) run('generating the database clients', [join(ROOT, 'scripts', 'generate.mjs')]);
    for (const part of [WEB_UI, SERVER]) if (!isBuilt(part)) build(part);
  });
}

function install() {
  say('installing packages from the lockfile; this takes a minute at most …');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm) run('npm ci', [npm, ...args]);
  else run('npm ci', args, { command: process.platform === 'win32' ? 'npm.cmd' : 'npm' });
  if (!isInstalled(ROOT))
    fail('npm ci ended well but packages are missing; remove node_modules and try again');
}

async function mustGenerate() {
  const { isGenerated } = await import('./generate.mjs');
  return !(await isGenerated());
}

function stampFile({ name }) {
  return join(DIST, name, '.stamp');
}

function isBuilt(part) {
  const file = stampFile(part);
  return existsSync(file) && readFileSync(file, 'utf8') === stampOf(ROOT, part.sources, part);
}

/** Compiles into a folder of its own: a build that fails or is cut short leaves the last one alone. */
function build(part) {
  say(`building the ${part.name === 'server' ? 'server' : 'web UI'} …`);
  const stamp = stampOf(ROOT, part.sources, part);
  const [built, fresh, old] = ['', '.new', '.old'].map((end) => join(DIST, `${part.name}${end}`));
  rmSync(fresh, { recursive: true, force: true });
  part.compile(fresh);
  writeFileSync(join(fresh, '.stamp'), stamp);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(built)) renameSync(built, old);
  renameSync(fresh, built);
  rmSync(old, { recursive: true, force: true });
}

/** Runs a program of Node in the checkout, its output beside ours; a failure ends this process. */
function run(what, args, { command = process.execPath, env = process.env } = {}) {
  const { error, status, signal } = spawnSync(command, args, { cwd: ROOT, env, stdio: ['ignore', 2, 2] });
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
