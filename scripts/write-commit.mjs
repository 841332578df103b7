// node scripts/write-commit.mjs: writes into dist/server/commit what "vidimus version" says. Each package is packed with it,
// since what was built before may be of an older commit with the same sources.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
/** What goes into the package, built or as it is. */
const PACKED = ['bin', 'prisma', 'scripts', 'src', 'web-admin', 'package.json', 'package-lock.json'];

/**
 * The commit of the checkout, with ` and changes` when what is packed differs from it. Without git: the environment's
 * SOURCE_COMMIT, as the build of an image is told; else empty.
 */
export function commitOf(folder) {
  const git = (...args) =>
    spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).stdout?.trim() ?? '';
  // A checkout without a history of its own may lie in that of something else.
  const commit =
    git('rev-parse', '--show-prefix') === '' ? git('rev-parse', '--verify', '--quiet', 'HEAD') : '';
  if (commit === '') return /^[0-9a-f]{7,64}$/.exec(process.env.SOURCE_COMMIT ?? '')?.[0] ?? '';
  return git('status', '--porcelain', '--', ...PACKED) === '' ? commit : `${commit} and changes`;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  writeFileSync(join(ROOT, 'dist', 'server', 'commit'), commitOf(ROOT));
