import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LOCKFILE = 'package-lock.json';

/** Builds a revision of this repository below `folder`; the path of its program. */
export function buildRevision(folder: string, revision: string): string {
  const tree = join(folder, 'tree');
  run(ROOT, 'git', 'clone', '--quiet', '--shared', '--no-checkout', ROOT, tree);
  run(
    tree,
    'git',
    'checkout',
    '--quiet',
    '--detach',
    run(ROOT, 'git', 'rev-parse', `${revision}^{commit}`).trim(),
  );
  const isLockSame = readFileSync(join(tree, LOCKFILE)).equals(readFileSync(join(ROOT, LOCKFILE)));
  if (isLockSame) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  else run(tree, 'npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  run(tree, process.execPath, 'scripts/build.mjs');
  const program = join(tree, 'bin', 'vidimus.js');
  if (!existsSync(program)) throw new Error(`${revision} has no bin/vidimus.js`);
  return program;
}

function run(cwd: string, command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
