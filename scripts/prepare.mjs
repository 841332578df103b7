// Brings a checkout into a runnable state: packages, generated code, server, web UI. Skips what is done.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SERVER_SOURCES, WEB_UI_SOURCES } from './check-build.mjs';
import { install } from './install.mjs';
import { isInstalled } from './installed.mjs';
import { withLock } from './prepare-lock.mjs';
import { StepError, runStep } from './run-step.mjs';
import { stampOf } from './source-stamp.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

const DIST = join(ROOT, 'dist');
const MODULES = join(ROOT, 'node_modules');

/** What is built: the folder below dist, what it is made of, and the programs that write it into `output`. */
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

/** Does whatever is missing; two at once wait for each other. Ends the process when a step fails or is stopped. */
export async function prepare() {
  if (isInstalled(ROOT) && (await isMade())) return;
  mkdirSync(DIST, { recursive: true });
  const onWait = () => say('another start is preparing this checkout; waiting for it …');
  try {
    await withLock(join(DIST, 'prepare.lock'), { onWait }, (hold) => prepareHere(hold));
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    say(error.message);
    process.exit(error.exitCode);
  }
}

/** The packages of before come back when what is built with the new ones fails. */
async function prepareHere(hold) {
  const packages = isInstalled(ROOT) ? null : await install(ROOT, { hold, say });
  try {
    if (await mustGenerate())
      await run('generating the database clients', [join(ROOT, 'scripts', 'generate.mjs')]);
    for (const part of [WEB_UI, SERVER]) if (!isBuilt(part)) await build(part);
  } catch (error) {
    packages?.undo();
    throw error;
  }
  packages?.keep();
}

async function isMade() {
  return !(await mustGenerate()) && isBuilt(SERVER) && isBuilt(WEB_UI);
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
async function build(part) {
  say(`building the ${part.name === 'server' ? 'server' : 'web UI'} …`);
  const stamp = stampOf(ROOT, part.sources, part);
  const [built, fresh, old] = ['', '.new', '.old'].map((end) => join(DIST, `${part.name}${end}`));
  rmSync(fresh, { recursive: true, force: true });
  await part.compile(fresh);
  writeFileSync(join(fresh, '.stamp'), stamp);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(built)) renameSync(built, old);
  renameSync(fresh, built);
  rmSync(old, { recursive: true, force: true });
}

/** Runs a program of Node in the checkout. */
function run(what, args, { env } = {}) {
  return runStep(what, process.execPath, args, { cwd: ROOT, env });
}

function say(text) {
  process.stderr.write(`vidimus: ${text}\n`);
}
