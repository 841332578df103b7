// What a clone needs before it runs: its packages, and a build of its sources. Done parts are skipped.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** The parts of dist, and what each is built from. */
const PARTS = {
  'web-admin': ['web-admin', 'scripts', 'package-lock.json'],
  server: ['src', 'packages', 'prisma', 'scripts', 'package-lock.json', 'tsconfig.json'],
};
/** Debian 13 has npm 9, which installs 90 MB more, for another C library, and has no `npm sbom`. */
const OLDEST_NPM = 10;
const GENERATED = /[/\\](?:dist|generated|gql|node_modules)[/\\]/;

/** Installs and builds what is missing or old. Ends the process when a step fails. */
export function prepare() {
  install();
  if (stalePart() === undefined) return;
  say('building …');
  run(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
}

/** Installs what the lockfile names, unless it is installed. */
export function install() {
  if (isInstalled()) return;
  say('installing packages (npm ci) …');
  const ci = ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...first] = npmFor(ROOT);
  run(command, [...first, ...ci], tmpdir());
}

/**
 * npm as a command with its first arguments, for a folder; one that is too old fetches another. To be run elsewhere,
 * since the old one stops at what it cannot read in the checkout.
 */
export function npmFor(folder) {
  const version = spawnSync('npm', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const isOld = Number.parseInt(version, 10) < OLDEST_NPM;
  const newer = isOld ? ['exec', '--yes', `--package=npm@${OLDEST_NPM}`, '--', 'npm'] : [];
  return ['npm', ...newer, `--prefix=${folder}`];
}

/** Compiles the packages of this repository, which the server imports as it does any other. */
export function buildPackages() {
  for (const name of readdirSync(join(ROOT, 'packages')))
    run(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      join(ROOT, 'packages', name),
    ]);
}

/** A part whose sources may have changed since it was built, or `undefined`. */
export function stalePart() {
  return Object.keys(PARTS).find(
    (part) => !existsSync(stampFile(part)) || readFileSync(stampFile(part), 'utf8') !== sourceStamp(part),
  );
}

/** Holds `sourceStamp` of what was built last. */
export function stampFile(part) {
  return join(ROOT, `dist/${part}.stamp`);
}

/** Changes whenever the sources may have, by their names, sizes and times. */
export function sourceStamp(part) {
  const files = PARTS[part].filter((path) => existsSync(join(ROOT, path))).flatMap(filesAt);
  const states = files.map((file) => {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    return `${file} ${size} ${mtimeMs}`;
  });
  return createHash('sha256').update(states.sort().join('\n')).digest('hex');
}

function filesAt(path) {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true })
    .map((name) => join(path, name))
    .filter((file) => !GENERATED.test(file) && statSync(join(ROOT, file)).isFile());
}

/** npm writes its own list of packages as the last step of an installation. */
function isInstalled() {
  const [wanted, present] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
    existsSync(join(ROOT, file)) ? JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages : {},
  );
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      path === '' || optional || link || present[path]?.version === version,
  );
}

function run(command, args, cwd = ROOT) {
  const { status, signal, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  if (error !== undefined) say(`cannot run ${command}: ${error.message}`);
  process.exit(signal === null ? (status ?? 1) : 128 + constants.signals[signal]);
}

function say(text) {
  process.stderr.write(`vidimus: ${text}\n`);
}
