// Brings a checkout into a runnable state: packages, generated clients, build. Skips what is done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const INSTALL_STAMP = join(ROOT, 'node_modules', '.vidimus-install');
const BUILD_STAMP = join(ROOT, 'dist', 'server.stamp');

/** Installs exactly what the lockfile says, unless that has been done. */
export function ensureInstalled() {
  const wanted = hashOf([join(ROOT, 'package.json'), join(ROOT, 'package-lock.json')], process.version);
  if (isStamped(INSTALL_STAMP, wanted)) return;
  say('installing packages from the lockfile …');
  run(npm(), [...npmArguments(), 'ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(INSTALL_STAMP, wanted);
}

/** Generates the database clients, unless they are up to date (the script itself knows). */
export function ensureGenerated() {
  run(process.execPath, [join(ROOT, 'scripts', 'generate.mjs')]);
}

/** Compiles the server, unless nothing has changed since the last time. */
export function ensureBuilt() {
  const sources = [...filesBelow(join(ROOT, 'src')), join(ROOT, 'tsconfig.json'), join(ROOT, 'tsconfig.build.json')];
  const wanted = hashOf([...sources, join(ROOT, 'package-lock.json')], '');
  if (isStamped(BUILD_STAMP, wanted)) return;
  say('building …');
  rmSync(join(ROOT, 'dist', 'server'), { recursive: true, force: true });
  run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(BUILD_STAMP, wanted);
}

/** Runs a program in the project's folder; a failure ends this process with the same code. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (result.error) {
    say(`${command} could not be run: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function npm() {
  return process.env.npm_execpath ? process.execPath : 'npm';
}

function npmArguments() {
  return process.env.npm_execpath ? [process.env.npm_execpath] : [];
}

function isStamped(stamp, wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashOf(files, salt) {
  const hash = createHash('sha256').update(salt);
  for (const file of files) hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function say(text) {
  process.stderr.write(`vidimus: ${text}\n`);
}
