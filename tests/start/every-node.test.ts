import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { listenOnFreshPort } from '../support/fresh-port.js';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs an expression with what a script exports. */
function run(script: string, expression: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const url = pathToFileURL(join(process.cwd(), 'scripts', script)).href;
  const program = `const script = await import('${url}'); ${expression}`;
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    const done = (error: unknown, stdout: string, stderr: string): void =>
      resolve({ code: error === null ? 0 : 1, stdout, stderr });
    execFile(process.execPath, ['--input-type=module', '-e', program], options, done);
  });
}

async function valueOf(script: string, expression: string): Promise<unknown> {
  const { stdout, stderr } = await run(script, `console.log(JSON.stringify(${expression}))`);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}

describe('the versions of Node', () => {
  it('that are tested are the least and a later one of each major that package.json claims', async () => {
    const { engines } = JSON.parse(await readFile('package.json', 'utf8')) as { engines: { node: string } };
    const least = engines.node.split(' || ').map((range) => range.replace('^', ''));
    const tested = (await valueOf('other-nodes.mjs', 'script.TESTED_NODES')) as string[];

    expect(await valueOf('other-nodes.mjs', 'script.leastNodes()')).toEqual(least);
    expect(tested.map((version) => version.split('.')[0])).toEqual(
      least.map((version) => version.split('.')[0]),
    );
    const verdicts = `${JSON.stringify([...tested, ...least])}.map((version) => script.verdictOf(version))`;
    expect(new Set((await valueOf('claimed-nodes.mjs', verdicts)) as string[])).toEqual(new Set(['claimed']));
  });

  it.each([
    ['18.20.0', 'refused'],
    ['20.18.3', 'refused'],
    ['20.19.0', 'claimed'],
    ['21.7.0', 'refused'],
    ['22.12.0', 'refused'],
    ['22.13.0', 'claimed'],
    ['23.11.0', 'refused'],
    ['24.0.0', 'claimed'],
    ['26.10.0', 'claimed'],
    ['28.0.0', 'newer'],
  ])('%s is %s', async (version, verdict) => {
    expect(await valueOf('claimed-nodes.mjs', `script.verdictOf('${version}')`)).toBe(verdict);
  });

  it('run all on this one and a tenth on the newest, or all on all and a tenth on the least; this one stands for its major', async () => {
    const planned = (own: string, isCi: boolean) =>
      valueOf('other-nodes.mjs', `script.plannedRuns('${own}', ${isCi}).map(Object.values)`);
    const [first = '', , , newest = ''] = (await valueOf(
      'other-nodes.mjs',
      'script.TESTED_NODES',
    )) as string[];

    expect(await planned('22.13.0', true)).toEqual([
      ['22.13.0', 'all'],
      [newest, 'tenth'],
    ]);
    expect(await planned(newest, true)).toEqual([[newest, 'all']]);
    expect(await planned('22.13.0', false)).toEqual([
      ['22.13.0', 'all'],
      [first, 'all'],
      [expect.stringMatching(/^24\./), 'all'],
      [newest, 'all'],
      ['20.19.0', 'tenth'],
      ['24.0.0', 'tenth'],
      ['26.0.0', 'tenth'],
    ]);
  });

  it('that the registry does not give are missing aloud', async () => {
    const registry = createServer((socket) => socket.destroy());
    const port = await listenOnFreshPort(registry, '127.0.0.1');
    const cache = await mkdtemp(join(tmpdir(), 'vidimus-cache-'));
    const env = {
      XDG_CACHE_HOME: cache,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: cache,
    };
    registry.close();

    const { code, stderr } = await run('other-nodes.mjs', "script.nodeProgram('26.10.0')", env);
    await rm(cache, { recursive: true, force: true });

    expect(code).toBe(1);
    expect(stderr).toContain('npm pack: npm error code');
  });
});

describe('the tenth of the tests', () => {
  const tenthOf = (paths: readonly string[]) =>
    valueOf('tenth-of-tests.mjs', `script.tenthOf(${JSON.stringify(paths)})`) as Promise<string[]>;

  it('has one of ten of each folder, at least one, all of the start and no pages', async () => {
    const named = (folder: string, count: number) =>
      Array.from({ length: count }, (_, at) => `tests/${folder}/some-${at}.test.ts`);
    const paths = [
      ...named('rest', 100),
      ...named('rest/one', 1),
      ...named('rest/eleven', 11),
      ...named('start', 3),
      ...named('browser/process', 20),
    ];
    const chosen = await tenthOf(paths);
    const of = (folder: string) => chosen.filter((path) => path.slice(0, path.lastIndexOf('/')) === folder);

    expect(
      ['rest', 'rest/one', 'rest/eleven', 'start'].map((folder) => of(`tests/${folder}`).length),
    ).toEqual([10, 1, 2, 3]);
    expect(chosen).toHaveLength(16);
    expect(await tenthOf(paths.toReversed())).toEqual(chosen);
  });

  it('has some of every folder of this checkout but those of pages', async () => {
    const chosen = (await valueOf('tenth-of-tests.mjs', 'script.tenthOfTests()')) as string[];
    const files = readdirSync('tests', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.test.ts'),
    );
    const folderOf = (file: string) => file.split('/').slice(0, -1).join('/');
    const missed = new Set(files.map((file) => folderOf(`tests/${file}`)));
    for (const file of chosen) missed.delete(folderOf(file));

    expect([...missed].filter((folder) => !folder.startsWith('tests/browser'))).toEqual([]);
    expect(chosen).toContain('tests/start/every-node.test.ts');
    expect(chosen.length).toBeLessThan(files.length / 4);
  });

  it('misses a folder that it must have', async () => {
    const { code, stderr } = await run('tenth-of-tests.mjs', "script.tenthOf(['tests/rest/a.test.ts'])");
    expect([code, stderr]).toEqual([1, expect.stringContaining('no tests in a folder start')]);
  });
});

describe('the last lines', () => {
  it.each([
    [
      [
        { passed: 3, failed: 0, skipped: 0 },
        { passed: 2, failed: 0, skipped: 1 },
      ],
      0,
      '1 skipped\n5 passed, 0 failed\n',
    ],
    [
      [
        { passed: 3, failed: 1, skipped: 0, failures: ['FAILED tests/a.test.ts: adds: Error: 3'] },
        { passed: 2, failed: 0, skipped: 0 },
      ],
      1,
      'FAILED tests/a.test.ts: adds: Error: 3\n5 passed, 1 failed\n',
    ],
    [
      [
        { passed: 3, failed: 0, skipped: 0 },
        { passed: 0, failed: 2, skipped: 0 },
      ],
      1,
      '3 passed, 2 failed\n',
    ],
    [[], 1, '0 passed, 0 failed\n'],
  ])('of runs %j ends with %i', async (runs, code, stdout) => {
    expect(await run('suite.mjs', `script.tellSum(${JSON.stringify(runs)})`)).toMatchObject({ code, stdout });
  });
});
