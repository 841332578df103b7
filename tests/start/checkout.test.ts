import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { follow, plainEnvironment, startVidimus, vidimus, writeConfig } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';

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

  const start = async (name: string, settings: Record<string, unknown> = {}) => {
    const cwd = join(root, name);
    await mkdir(cwd, { recursive: true });
    await writeConfig(cwd, settings);
    // npm runs scripts in the checkout and leaves the folder of the caller in a variable.
    const env = { INIT_CWD: cwd };
    const args = ['--config', 'config.yaml'];
    return startVidimus(args, { cwd: root, env, script: join(root, 'scripts', 'start.mjs') });
  };
  const vidimusHere = (name: string, ...args: string[]) =>
    vidimus(args, { cwd: join(root, name), script: join(root, 'bin', 'vidimus.js') });
  const build = () => startVidimus([], { cwd: root, script: join(root, 'scripts', 'build.mjs') }).finished;
  /** An empty version in use is followed by that of the sources, which has been built: nothing is made anew. */
  const buildAfterAnother = async () => {
    const current = join(root, 'dist/current');
    await mkdir(join(root, 'dist/builds/another'), { recursive: true });
    await rm(current);
    await symlink('builds/another', current);
    expect(await build()).toMatchObject({ code: 0 });
  };
  const stop = async (running: Awaited<ReturnType<typeof start>>) => {
    await running.log('ready');
    running.child.kill('SIGTERM');
    return running.finished;
  };

  it('builds once when it starts while the first command of the first hour runs, and both end well', async () => {
    const [, command = ''] = /^```sh\n(.+)$/m.exec(readText('docs/FIRST-HOUR.md')) ?? [];
    const first = follow(spawn('sh', ['-c', command], { cwd: root, env: plainEnvironment() }));

    const ends = await Promise.all([first.finished, stop(await start('one'))]);

    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const said = ends.map(({ stderr }) => stderr).join('');
    expect(said.match(/building the .*…/g)?.sort()).toEqual([
      'building the server …',
      'building the web UI …',
    ]);
    expect((await readdir(join(root, 'dist'))).sort()).toEqual(['builds', 'current']);
  });

  it('skips everything the next time', async () => {
    const { code, stderr } = await stop(await start('one'));

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('leaves a running server all that is its own when other versions are built beside it', async () => {
    const listeners = [{ port: 0, resources: ['keys', 'admin'] }];
    const running = await start('one', { listeners });
    const url = await running.url('admin');
    const { stdout } = await vidimusHere(
      'one',
      'token',
      'create',
      '--scope',
      'admin_read',
      '-c',
      'config.yaml',
    );
    for (const file of ['src/graphql/server/start.ts', 'src/cli/program.ts', 'web-admin/src/main.tsx'])
      await appendFile(join(root, file), "\nReflect.set(globalThis, 'changed', console.error('changed'));\n");
    expect(await build()).toMatchObject({ code: 0 });
    await buildAfterAnother();

    const answer = await fetch(`${url}/admin/api/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stdout.trim()}`, 'Content-Type': 'application/json' },
      body: '{"query": "{ viewer { role } }"}',
    });
    const page = await (await fetch(`${url}/admin/`)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    const { status } = await fetch(new URL(script, url));
    const { stderr } = await stop(running);

    expect(await answer.json()).toEqual({ data: { viewer: { role: 'VIEWER' } } });
    expect({ status, stderr }).toEqual({
      status: 200,
      stderr: expect.not.stringContaining('changed') as string,
    });
    expect(await vidimusHere('one', 'version')).toMatchObject({ code: 0, stderr: 'changed\n' });

    expect(await readdir(join(root, 'dist/builds'))).toHaveLength(3);
    await buildAfterAnother();
    expect(await readdir(join(root, 'dist/builds'))).toHaveLength(2);
  });

  it('runs the build before it when a new one fails, pages too, and says so', async () => {
    await writeFile(join(root, 'src', 'broken.ts'), 'export const broken: number = "text";\n');
    await appendFile(join(root, 'web-admin/src/main.tsx'), '\nReflect.set(globalThis, "new", true);\n');
    const migration = join(root, 'prisma', 'migrations', 'sqlite', '99990101000000_broken');
    await mkdir(migration);
    await writeFile(join(migration, 'migration.sql'), 'NO SQL;\n');
    const before = await readlink(join(root, 'dist', 'current'));

    const { code, stderr } = await build();
    const started = await stop(await start('one'));

    expect(code).toBe(1);
    expect(stderr).toMatch(/broken\.ts.*TS2322[^]*vidimus: the build ended with code/);
    expect(started.code).toBe(0);
    expect(started.stderr).toContain(
      'vidimus: these sources could not be built: what runs is the build before them\n',
    );
    expect(await readlink(join(root, 'dist', 'current'))).toBe(before);
    expect((await vidimusHere('one', 'version')).stderr).toMatch(
      /^vidimus: these sources could not be built/,
    );
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
