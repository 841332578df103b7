import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { follow, startVidimus, writeConfig } from '../cli/vidimus.js';
import { registryIsAway } from '../deploy/staged.js';
import { blocksOf } from '../docs/page-commands.js';
import { freePort } from '../support/origins/dns-server.js';

interface Lockfile {
  packages: Record<string, { dev?: boolean; license?: string }>;
}

const MOST_PACKAGES = 20;
const MOST_BYTES = 90_000_000;
const LICENCES =
  /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|LGPL-3\.0-or-later)$/;

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

const [PACK = '', INSTALL = '', ASK = ''] = blocksOf('docs/INSTALL.md#A package of npm');

/** What npm is told by whoever runs the tests, its cache first; a registry that is away is not waited for. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:VIDIMUS|VITEST|INIT_CWD)/.test(name));
  return {
    ...Object.fromEntries(kept),
    npm_config_prefer_offline: 'true',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    npm_config_fetch_timeout: '20000',
  };
}

/** Packs into a folder instead of the checkout; the path of the package. */
function pack(folder: string): string {
  const env = { ...npmEnvironment(), npm_config_pack_destination: folder };
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', PACK], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${PACK}: ${stderr}`);
  return path.join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** Folders of the packages that an installation without development dependencies has on this machine. */
async function productionPackages(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile;
  const places = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
  return places.map(([place]) => place).filter((place) => existsSync(place));
}

/** Size of all files below a folder but those of packages in it. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isFile()) bytes += (await stat(place)).size;
    else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += await bytesBelow(place);
  }
  return bytes;
}

/** Data in a package of another licence, which asks that whoever gets it is told where to find it as it was written. */
const SUFFIX_LIST =
  /^## Public Suffix List, in tldts - \S+ \(MPL-2\.0\)\n\n.*https:\/\/publicsuffix\.org\/list\/.*https:\/\/mozilla\.org\/MPL\/2\.0\/.*\n/m;

/** The one that is neither permissive nor LGPL (D-64). */
const EXCEPTIONS = [{ name: 'Public Suffix List, in tldts', licence: 'MPL-2.0' }];

/** `zod` and `MIT` of `## zod - 4.6.7 (MIT)`. */
function licencesIn(markdown: string): { name: string; licence: string }[] {
  return [...markdown.matchAll(/^## (.+) - \S+ \((.+)\)$/gm)].map(([, name = '', licence = '']) => ({
    name,
    licence,
  }));
}

/** Whether each of a list of several is permissive or LGPL. */
function isFree(licence: string): boolean {
  const parts = licence.replace(/[()]/g, '').split(/ (?:AND|OR|and) /);
  return parts.every((part) => LICENCES.test(part));
}

let root: string;
let tarball: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'vidimus-package-'));
  tarball = pack(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The packed files in an empty folder, beside links to the packages npm would install with them. No registry. */
describe('the package', () => {
  let installed: string;
  beforeAll(async () => {
    const modules = path.join(root, 'node_modules');
    for (const place of await productionPackages()) {
      const name = place.slice('node_modules/'.length);
      if (name.includes('node_modules/')) continue;
      await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
      await symlink(path.resolve('node_modules', name), path.join(modules, name));
    }
    run('tar', ['-xzf', tarball, '-C', root]);
    installed = path.join(modules, 'vidimus');
    await rename(path.join(root, 'package'), installed);
  });

  const scripts = async (): Promise<string[]> => {
    const server = path.join(installed, 'dist', 'server');
    const names = (await readdir(server, { recursive: true })).filter((name) => name.endsWith('.js'));
    return Promise.all(names.map(async (name) => readFile(path.join(server, name), 'latin1')));
  };

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
        'NOTICE',
        'config.sample.yaml',
        'dist/server/LICENSES.md',
        'dist/server/worker.js',
        'dist/web-admin/index.html',
        'dist/web-admin/LICENSES.md',
      ]),
    );
    const expected =
      /^(?:(?:LICENSE|NOTICE|README\.md|CHANGELOG\.md|package\.json|config\.sample\.yaml|config\.schema\.json|bin\/vidimus\.js)$|dist\/server\/(?:LICENSES\.md|commit|.*\.js)$|scripts\/(?:check-build|check-node|claimed-nodes|source-stamp)\.mjs$|dist\/web-admin\/|prisma\/migrations\/)/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
    expect(files.filter((file) => /\.(?:test\.js|map)$|(?:^|\/)\./.test(file))).toEqual([]);
    // A change to any of them is told by the version.
    const script = pathToFileURL(path.resolve('scripts/write-commit.mjs')).href;
    const { packedOf } = (await import(script)) as { packedOf: (folder: string) => string[] };
    const packed = packedOf('.');
    const isTold = (file: string) => packed.some((name) => `${file}/`.startsWith(`${name}/`));
    expect(files.filter((file) => !file.startsWith('dist/') && !isTold(file))).toEqual([]);
  });

  it('says its commit, which an older build does not know and which the build of an image is told', async () => {
    const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
    const commit = (folder: string) => readFile(path.join(folder, 'dist/server/commit'), 'utf8');
    expect((await commit(installed)).replace(' and changes', '')).toBe(git('rev-parse', 'HEAD'));

    const sources = path.join(root, 'sources');
    await mkdir(path.join(sources, 'dist/server'), { recursive: true });
    await cp('scripts', path.join(sources, 'scripts'), { recursive: true });
    const env = { ...process.env, SOURCE_COMMIT: 'a'.repeat(40) };
    spawnSync(process.execPath, [path.join(sources, 'scripts/write-commit.mjs')], { env });
    expect(await commit(sources)).toBe('a'.repeat(40));
    expect(await readFile('deploy/container/Containerfile', 'utf8')).toMatch(
      /^ARG SOURCE_COMMIT\nRUN deploy\/stage/m,
    );
  });

  it('with all that it needs is at most 20 packages and 90 MB', async () => {
    const places = await productionPackages();
    const sizes = await Promise.all([installed, ...places].map(bytesBelow));

    expect(places.length).toBeGreaterThan(5);
    expect(places.length + 1).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('brings one thing whose licence is neither permissive nor LGPL, and names its source, installed beside it or bundled into it', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile;
    const beside = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
    const texts = await Promise.all(
      ['server', 'web-admin'].map((part) =>
        readFile(path.join(installed, 'dist', part, 'LICENSES.md'), 'utf8'),
      ),
    );
    const bundled = texts.map(licencesIn);
    const all = [
      ...beside.map(([name, { license }]) => ({ name, licence: license ?? 'none' })),
      ...bundled.flat(),
    ];

    expect(bundled.map(({ length }) => length > 20)).toEqual([true, true]);
    expect(texts[0]).toMatch(/^## tldts - /m);
    expect(texts[0]).toMatch(SUFFIX_LIST);
    expect(all.filter(({ licence }) => !isFree(licence))).toEqual(EXCEPTIONS);
  });

  it('holds nothing of got-scraping but got: no generator of headers, nor the tables it reads', async () => {
    const bundled = await readFile(path.join(installed, 'dist', 'server', 'LICENSES.md'), 'utf8');
    const places = await productionPackages();

    expect(bundled).toMatch(/^## got - /m);
    expect(bundled).not.toMatch(/^## (?:header-generator|generative-bayesian-network|ow|adm-zip) - /m);
    expect(places.filter((place) => /header-generator|caniuse|browserslist/.test(place))).toEqual([]);
  });

  it('holds modules of CommonJS in the form that V8 reads once', async () => {
    const texts = await scripts();
    const forms = texts.flatMap((text) => text.match(/(?<= = __commonJSMin\()\(\(?\w*/g) ?? []);

    expect(forms.length).toBeGreaterThan(200);
    expect(new Set(forms)).toEqual(new Set(['(function']));
  });

  it("takes Node's modules as objects, of which only what is used is loaded", async () => {
    const statements = (await scripts()).flatMap(
      (text) => text.match(/^(?:im|ex)port .*"[\w:/]+";$/gm) ?? [],
    );
    const names = statements.map((statement) => /"(.*)"/.exec(statement)?.[1] ?? '');

    expect(names.filter((name) => isBuiltin(name))).toEqual([]);
  });

  it('makes neither a format of lists nor a table out of characters when it is loaded', async () => {
    const made = /^(?:const|let|var) [\w$]+ = new (?:Intl\.|Uint16Array\(")/m;
    expect((await scripts()).flatMap((text) => made.exec(text)?.[0] ?? [])).toEqual([]);
  });

  it('names in NOTICE what the lockfile installs', async () => {
    const url = pathToFileURL(path.resolve('scripts/write-notice.mjs')).href;
    const script = `const { noticeText } = await import('${url}'); process.stdout.write(noticeText());`;
    const text = run(process.execPath, ['--input-type=module', '-e', script]);

    expect(await readFile(path.join(installed, 'NOTICE'), 'utf8')).toBe(text);
    expect(text).toMatch(/Public Suffix List[^]*MPL[^]*dist\/server\/LICENSES\.md/);
    expect(text).toMatch(/^sharp \d+\.\d+\.\d+: Apache-2\.0$/m);
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

/** As INSTALL has it, word for word, but for the ports. */
describe('the package as npm installs it', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const here = (text: string, url = '') => text.replaceAll('http://127.0.0.1:8008', url);
  const sh = (text: string) => spawnSync('sh', ['-euc', text], { encoding: 'utf8', cwd: folder, env });

  it('runs from an empty folder with one command, answers and stops', async (context) => {
    folder = await mkdtemp(path.join(tmpdir(), 'vidimus-installed-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const listeners = [{ port: await freePort(), resources: ['keys', 'health'] }];
    env = { ...npmEnvironment(), VIDIMUS__LISTENERS: JSON.stringify(listeners) };
    await copyFile(tarball, path.join(folder, path.basename(tarball)));
    const lines = INSTALL.trim().split('\n');
    const [install = '', serve = ''] = lines;
    const { status, stderr } = sh(install);
    const away = status === 0 ? null : registryIsAway(stderr);
    context.skip(away !== null, away ?? '');

    expect({ status, stderr, commands: lines.length }).toEqual({ status: 0, stderr: '', commands: 2 });
    const running = follow(spawn('sh', ['-euc', `exec ${serve}`], { cwd: folder, env }));
    await running.log('ready');
    const asked = sh(here(ASK, await running.url('keys')));
    running.child.kill('SIGTERM');

    expect(asked).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Ready, .*\n\{.*"server_name":"localhost"/),
    });
    expect((await running.finished).code).toBe(0);
    expect((await readdir(folder)).toSorted()).toEqual(
      ['data', 'node_modules', 'package-lock.json', 'package.json', path.basename(tarball)].toSorted(),
    );
  });
});
