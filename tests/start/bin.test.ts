import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const BUILD_FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'prisma/schema.prisma'];
/** Says that it runs; what is checked lies before it. */
const PROGRAM = "export async function main(argv) { console.log('runs', ...argv); }\n";

/** Scripts that a build runs, and all that they import, but for what only installs. */
function scriptsOf(...names: string[]): string[] {
  const found = new Set(names);
  for (const name of found)
    for (const [, imported = ''] of readFileSync(join('scripts', name), 'utf8').matchAll(
      /'\.\/([\w-]+\.mjs)'/g,
    ))
      if (!/^(?:install|installed|prepare-lock|run-step)\.mjs$/.test(imported)) found.add(imported);
  return [...found];
}

/** A checkout with a program of one line instead of the server. */
describe('bin/vidimus.js', () => {
  let root: string;
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const run = () => {
    const args = [join(root, 'bin/vidimus.js'), 'version'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const claim = (node: string) => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as object;
    write('package.json', JSON.stringify({ ...manifest, engines: { node } }));
  };
  const stamp = (file = 'dist/current/dist/server/.stamp') => {
    const script = join(root, 'scripts/check-build.mjs');
    const program = `import { writeFileSync } from 'node:fs';
      const { SERVER_SOURCES } = await import('${script}');
      const { stampOf } = await import('${join(root, 'scripts/source-stamp.mjs')}');
      writeFileSync('${join(root, file)}', stampOf('${root}', SERVER_SOURCES));`;
    expect(spawnSync(process.execPath, ['--input-type=module', '-e', program]).status).toBe(0);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vidimus-bin-'));
    for (const part of ['bin', 'scripts', 'package.json', ...BUILD_FILES]) {
      cpSync(part, join(root, part), { recursive: true });
    }
    write('src/a.ts', 'export const a = 1;\n');
    write('dist/builds/a/dist/server/cli/main.js', PROGRAM);
    write('prisma/migrations/a/migration.sql', 'SELECT 1;');
    symlinkSync('builds/a', join(root, 'dist/current'));
    stamp();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('runs what was built from the sources beside it, without a word', () => {
    expect(run()).toEqual({ status: 0, stdout: 'runs version\n', stderr: '' });
  });

  it('keeps what V8 has compiled for the next start, where Node can', () => {
    run();

    expect(existsSync(join(root, 'dist/current/.compile-cache'))).toBe('enableCompileCache' in module);
  });

  it('says in one sentence that this Node is too old, and runs nothing', () => {
    claim('^98.1.0 || ^99.0.0');

    const { status, stdout, stderr } = run();

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `vidimus: Node ${process.versions.node} is too old or odd: made for 98.1, 99.0 and later of each\n`,
    );
  });

  it('runs on a newer Node than it is tested with, with a word about that', () => {
    claim('^18.0.0');
    stamp();

    const { status, stdout, stderr } = run();

    expect([status, stdout]).toEqual([0, 'runs version\n']);
    expect(stderr).toMatch(/^vidimus: Node \S+ is newer than any it is tested with: made for 18\.0 .*\n$/);
  });

  it.each([
    'src/a.ts',
    'prisma/schema.prisma',
    'prisma/migrations/a/migration.sql',
    'package-lock.json',
    ...scriptsOf('bundle-server.mjs', 'generate.mjs', 'prepare.mjs').map((name) => `scripts/${name}`),
  ])('does not run an old build after %s has changed, and says what to do', (source) => {
    appendFileSync(join(root, source), '\n');

    expect(run()).toEqual({
      status: 1,
      stdout: '',
      stderr: 'vidimus: dist was built from other sources than those beside it: run "npm run build"\n',
    });
  });

  it('does not run an old build after a start, when a source has changed and is as long and as old as before', () => {
    const source = join(root, 'src/a.ts');
    const { atime, mtime } = statSync(source);
    expect([run().status, run().status]).toEqual([0, 0]);
    expect(existsSync(join(root, 'dist/current/.sources'))).toBe(true);

    writeFileSync(source, 'export const a = 2;\n');
    utimesSync(source, atime, mtime);

    expect(run().status).toBe(1);
  });

  it('runs the build of before when that of these sources failed, and says so', () => {
    write('src/a.ts', 'export const a = 2;\n');
    stamp('dist/failed');

    expect(run()).toEqual({
      status: 0,
      stdout: 'runs version\n',
      stderr: 'vidimus: these sources could not be built: what runs is the build before them\n',
    });
  });

  it('runs as installed, where there are no sources', () => {
    for (const part of ['src', 'dist']) rmSync(join(root, part), { recursive: true });
    write('dist/server/cli/main.js', PROGRAM);

    expect(run()).toEqual({ status: 0, stdout: 'runs version\n', stderr: '' });
  });

  it('says that nothing is built yet', () => {
    rmSync(join(root, 'dist'), { recursive: true });

    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('npm run build') as string });
  });
});
