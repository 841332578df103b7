// node scripts/write-commit.mjs: writes into dist/server/commit what "vidimus version" says. Each package is packed with it,
// since what was built before may be of an older commit with the same sources.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SERVER_SOURCES, WEB_UI_SOURCES } from './check-build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
/** What npm adds to what package.json names. */
const ALWAYS_PACKED = ['package.json', 'README.md', 'LICENSE'];
/** What the database clients are generated from, and what builds. */
const BUILDING = ['prisma', 'scripts'];

/** What goes into the package of a checkout, built or as it is. */
export function packedOf(folder) {
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const asTheyAre = files.filter((name) => !/^(?:!|dist\/)/.test(name));
  return [...new Set([...ALWAYS_PACKED, ...asTheyAre, ...SERVER_SOURCES, ...WEB_UI_SOURCES, ...BUILDING])];
}

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
  return git('status', '--porcelain', '--', ...packedOf(folder)) === '' ? commit : `${commit} and changes`;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  writeFileSync(join(ROOT, 'dist', 'server', 'commit'), commitOf(ROOT));
