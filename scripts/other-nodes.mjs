// Other versions of Node for tests, from the npm registry. They are kept in the cache folder of the user.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { claimedNodes } from './claimed-nodes.mjs';

/** The newest version of each major that package.json claims. */
export const TESTED_NODES = ['20.20.2', '22.23.3', '24.21.0', '26.12.1'];

const LIMIT_MS = 5 * 60_000;
const majorOf = (version) => Number(version.split('.')[0]);

/** The least versions that package.json claims. */
export const leastNodes = () => claimedNodes().map(({ major, minor }) => `${major}.${minor}.0`);

/**
 * What to run on a machine whose own Node is `own`; that one stands for the newest of its major. The least versions run
 * a tenth of the tests.
 */
export function plannedRuns(own, isCi) {
  const others = TESTED_NODES.filter((version) => majorOf(version) !== majorOf(own));
  const all = { version: own, part: 'all' };
  if (!isCi) {
    const least = leastNodes().filter((version) => version !== own);
    return [
      all,
      ...others.map((version) => ({ version, part: 'all' })),
      ...least.map((version) => ({ version, part: 'tenth' })),
    ];
  }
  const newest = TESTED_NODES.at(-1);
  return others.includes(newest) ? [all, { version: newest, part: 'tenth' }] : [all];
}

/** The program of this exact version, fetched unless it is here. Throws when it cannot be had. */
export function nodeProgram(version) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vidimus-nodes');
  const folder = join(cache, version);
  const program = join(folder, 'bin', 'node');
  if (existsSync(program) && isVersion(program, version)) return program;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fresh-'));
  try {
    fetchInto(fresh, version);
    if (!isVersion(join(fresh, 'package', 'bin', 'node'), version)) throw new Error('it does not run here');
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(fresh, 'package'), folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return program;
}

function fetchInto(folder, version) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}@${version}`;
  const npm = process.env.npm_execpath;
  const patience = ['--loglevel=error', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  const args = ['pack', name, '--pack-destination', folder, ...patience];
  if (npm) run('npm pack', process.execPath, [npm, ...args]);
  else run('npm pack', 'npm', args);
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (archive === undefined) throw new Error(`npm brought no archive of ${name}`);
  run('tar', 'tar', ['-xzf', join(folder, archive), '-C', folder]);
}

function isVersion(program, version) {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`;
}

function run(what, program, args) {
  const ended = spawnSync(program, args, { encoding: 'utf8', timeout: LIMIT_MS });
  if (ended.status === 0) return;
  const lines = (ended.stderr ?? '').trim().split('\n');
  throw new Error(`${what}: ${ended.error?.message ?? lines.at(0) ?? 'failed'}`);
}
