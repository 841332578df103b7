// npm run pack [-- FOLDER]: the package of npm, and prints its path. The program in it is bundled, so its package.json
// names only what is installed beside it; sbom.cdx.json lists all packages it was made of.
import './check-node.mjs';

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const { ROOT, npmFor, prepare } = await import('./prepare.mjs');
prepare();
const { BESIDE } = await import('./bundle-server.mjs');

const FILES = [
  'bin',
  'dist/server',
  'dist/web-admin',
  'prisma/migrations',
  'scripts/check-node.mjs',
  'config.sample.yaml',
  'config.schema.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'NOTICE',
];
// Its own, so that two may pack at the same time; its last part is the name in the list of packages.
const folder = join(ROOT, `dist/package-${process.pid}/vidimus`);
const target = resolve(process.argv[2] ?? ROOT);

rmSync(dirname(folder), { recursive: true, force: true });
for (const file of FILES) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
const { name, version, description, license, bin, type, engines, workspaces, dependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
// Exactly the versions that were tested.
cpSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));

// The list, of a folder without packages of development: `npm sbom --omit=dev` also omits what those have in common
// with the program.
cpSync(join(ROOT, 'packages'), join(folder, 'packages'), { recursive: true });
lock({ workspaces, dependencies });
const sbom = npm(folder, 'sbom', '--package-lock-only', '--sbom-format=cyclonedx');
writeFileSync(join(folder, 'sbom.cdx.json'), sbom);
rmSync(join(folder, 'packages'), { recursive: true });

lock({ bin, dependencies: Object.fromEntries(BESIDE.map((each) => [each, dependencies[each]])) });
renameSync(join(folder, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'));
mkdirSync(target, { recursive: true });
const packed = npm(folder, 'pack', folder, '--silent', '--pack-destination', target)
  .trim()
  .split('\n')
  .at(-1);
rmSync(dirname(folder), { recursive: true });
console.log(join(target, packed));

/** Writes package.json, and takes out of the lock what it does not need. */
function lock(manifest) {
  const content = { name, version, description, license, type, engines, ...manifest };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
  const options = ['--package-lock-only', '--prefer-offline', '--no-audit', '--no-fund'];
  npm(folder, 'install', ...options);
}

function npm(place, ...args) {
  const [command, ...first] = npmFor(place);
  const options = {
    cwd: tmpdir(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  };
  return execFileSync(command, [...first, ...args], options);
}
