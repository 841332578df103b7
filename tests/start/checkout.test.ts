import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startVidimus, writeConfig } from '../cli/vidimus.js';

const PARTS = [
  'bin',
  'prisma',
  'scripts',
  'src',
  'web-admin',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Two builds at once take half a minute on a busy machine. */
const BUILDS = { timeout: 180_000 };

/** A copy of this checkout with its packages, but never built. */
describe('npm start on a checkout that has never been built', BUILDS, () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'vidimus-checkout-'));
    for (const part of PARTS) await cp(part, join(root, part), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const start = async (name: string) => {
    const cwd = join(root, name);
    await mkdir(cwd, { recursive: true });
    await writeConfig(cwd);
    // npm runs scripts in the checkout and leaves the folder of the caller in a variable.
    const env = { INIT_CWD: cwd };
    const args = ['--config', 'config.yaml'];
    return startVidimus(args, { cwd: root, env, script: join(root, 'scripts', 'start.mjs') });
  };
  const stop = async (running: Awaited<ReturnType<typeof start>>) => {
    await running.log('ready');
    running.child.kill('SIGTERM');
    return running.finished;
  };

  it('builds once when two start at the same time, and both run', async () => {
    const [one, other] = await Promise.all([start('one'), start('other')]);

    const ends = await Promise.all([stop(one), stop(other)]);

    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const said = ends.map(({ stderr }) => stderr).join('');
    expect(said.match(/building the .*…/g)?.sort()).toEqual([
      'building the server …',
      'building the web UI …',
    ]);
    expect((await readdir(join(root, 'dist'))).sort()).toEqual(['server', 'web-admin']);
  });

  it('skips everything the next time', async () => {
    const { code, stderr } = await stop(await start('one'));

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('keeps the last build when a new one fails, and says so, exit code 1', async () => {
    const main = join(root, 'dist', 'server', 'cli', 'main.js');
    const before = await readFile(main, 'utf8');
    await writeFile(join(root, 'src', 'broken.ts'), 'export const broken: number = "text";\n');

    const { code, stderr } = await (await start('one')).finished;
    await rm(join(root, 'src', 'broken.ts'));

    expect(code).toBe(1);
    expect(stderr).toMatch(/broken\.ts.*TS2322[^]*vidimus: the build ended with code/);
    expect(await readFile(main, 'utf8')).toBe(before);
  });
});

describe('the packages of a checkout', () => {
  let root: string;
  const isInstalled = async () => {
    const url = new URL('../../scripts/installed.mjs', import.meta.url).href;
    const script = `const { isInstalled } = await import('${url}'); process.exitCode = isInstalled(process.argv[1]) ? 0 : 1;`;
    const args = ['--input-type=module', '-e', script, root];
    const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')) as [number];
    return code === 0;
  };
  const writePackages = (file: string, packages: Record<string, object>) =>
    writeFile(join(root, file), JSON.stringify({ packages }));
  const ALL = {
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', optional: true },
  };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'vidimus-packages-'));
    await mkdir(join(root, 'node_modules', 'a'), { recursive: true });
    await writeFile(join(root, 'node_modules', 'a', 'package.json'), '{}');
    await writePackages('package-lock.json', { '': {}, ...ALL });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('are incomplete while npm has not finished, complete after, and stale after a new lockfile', async () => {
    expect(await isInstalled()).toBe(false);
    await writePackages('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
    expect(await isInstalled()).toBe(true);
    await rm(join(root, 'node_modules', 'a', 'package.json'));
    expect(await isInstalled()).toBe(false);
    await writeFile(join(root, 'node_modules', 'a', 'package.json'), '{}');
    await writePackages('package-lock.json', { ...ALL, 'node_modules/a': { version: '1.1.0' } });
    expect(await isInstalled()).toBe(false);
    expect(existsSync(join(root, 'node_modules', 'a'))).toBe(true);
  });
});
