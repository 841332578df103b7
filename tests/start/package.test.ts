import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startVidimus, writeConfig } from '../cli/vidimus.js';

interface Lockfile {
  packages: Record<string, { dev?: boolean }>;
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** `npm pack` as npm itself is found: by the path a script of npm is given, else by its name. */
function pack(folder: string): string {
  const npm = process.env['npm_execpath'];
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  const said = npm === undefined ? run('npm', args) : run(process.execPath, [npm, ...args]);
  const name = /"filename": "([^"]+)"/.exec(said)?.[1] ?? '';
  return path.join(folder, name);
}

/** Names of the packages an installation without development dependencies has on its first level. */
async function productionPackages(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile;
  return Object.entries(packages)
    .filter(([place, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(place) && dev !== true)
    .map(([place]) => place.slice('node_modules/'.length))
    .filter((name) => existsSync(path.join('node_modules', name)));
}

/** The packed files in an empty folder, beside links to the packages npm would install with them. No registry. */
describe('the package', () => {
  let root: string;
  let installed: string;
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'vidimus-package-'));
    const modules = path.join(root, 'node_modules');
    for (const name of await productionPackages()) {
      await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
      await symlink(path.resolve('node_modules', name), path.join(modules, name));
    }
    run('tar', ['-xzf', pack(root), '-C', root]);
    installed = path.join(modules, 'vidimus');
    await rename(path.join(root, 'package'), installed);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('holds what runs and what has to go with it, and nothing else', async () => {
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)));

    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'CHANGELOG.md',
        'config.sample.yaml',
        'dist/server/worker.js',
        'dist/web-admin/index.html',
        'dist/web-admin/LICENSES.md',
      ]),
    );
    const expected =
      /^(?:(?:LICENSE|README\.md|CHANGELOG\.md|package\.json|config\.sample\.yaml|bin\/vidimus\.js)$|dist\/server\/.*\.js$|dist\/web-admin\/|prisma\/migrations\/)/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
    expect(files.filter((file) => /\.(?:test\.js|map)$|(?:^|\/)\./.test(file))).toEqual([]);
  });

  it('holds the pages as built for production, within their budget, whoever built them', () => {
    expect(run(process.execPath, ['scripts/check-ui-budget.mjs'])).toMatch(
      /script at start: \d+ of \d+ bytes/,
    );
  });

  it('serves a key query and the pages from there, built already', async () => {
    const cwd = path.join(root, 'place');
    await mkdir(cwd);
    await writeConfig(cwd, { listeners: [{ port: 0, resources: ['keys', 'admin'] }] });
    const script = path.join(installed, 'bin', 'vidimus.js');
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd, script });
    await running.log('ready');
    const url = await running.url('keys');

    const keys = await fetch(`${url}/_svc/key/v2/query/notary.test`);
    const page = await fetch(`${url}/admin/`);
    const answer: unknown = await keys.json();
    await page.text();
    running.child.kill('SIGTERM');
    const { code } = await running.finished;

    expect([keys.status, page.status, code]).toEqual([200, 200, 0]);
    expect(answer).toMatchObject({ server_keys: [{ server_name: 'notary.test' }] });
  });
});
