// Installs the packages of the lockfile in a folder beside node_modules, and changes them over when all are there.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { isInstalled } from './installed.mjs';
import { StepError, runStep } from './run-step.mjs';

const MANIFESTS = ['package.json', 'package-lock.json', '.npmrc'];
const PROGRESS_MS = 10_000;
/** A cache that has everything is enough, also without a network; and a registry that is away is told soon. */
const OPTIONS = [
  '--include=dev',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];
const AWAY =
  /\b(EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

/**
 * Brings the packages of a checkout. `hold` gets the process id of npm; `say` tells how far it is. Resolves to
 * `keep`, which removes the packages that were there before, and `undo`, which brings them back.
 */
export async function install(root, { hold, say }) {
  const [modules, fresh, old] = ['node_modules', 'dist/packages.new', 'dist/packages.old'].map((path) =>
    join(root, path),
  );
  // Ended between the two steps of a change: the packages of before are the ones in use.
  if (existsSync(old) && !existsSync(modules)) renameSync(old, modules);
  for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const file of MANIFESTS.filter((name) => existsSync(join(root, name))))
    copyFileSync(join(root, file), join(fresh, file));
  await runNpm(fresh, { hold, say });
  if (!isInstalled(fresh)) throw new StepError('npm ci ended well but packages are missing; try again');
  if (existsSync(modules)) renameSync(modules, old);
  renameSync(join(fresh, 'node_modules'), modules);
  rmSync(fresh, { recursive: true, force: true });
  return {
    keep: () => rmSync(old, { recursive: true, force: true }),
    undo: () => {
      if (!existsSync(old)) return;
      rmSync(modules, { recursive: true, force: true });
      renameSync(old, modules);
    },
  };
}

async function runNpm(folder, { hold, say }) {
  say('installing packages from the lockfile; this takes a minute at most …');
  const startedMs = performance.now();
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    say(`still installing packages, for ${seconds} s …`);
  }, PROGRESS_MS);
  const npm = process.env.npm_execpath;
  const named = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const [command, first] = npm ? [process.execPath, [npm]] : [named, []];
  try {
    await runStep('npm ci', command, [...first, 'ci', ...OPTIONS], { cwd: folder, onStart: hold });
  } catch (error) {
    const code = AWAY.exec(error.output ?? '')?.[1];
    if (code === undefined) throw error;
    throw new StepError(
      `the npm registry cannot be reached (${code}), and the cache of npm lacks packages: connect this machine, or name a registry in .npmrc`,
    );
  } finally {
    clearInterval(progress);
  }
}
