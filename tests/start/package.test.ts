import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { follow, type Running } from '../cli/vidimus.js';
import { registryIsAway } from '../deploy/staged.js';
import { blocksOf } from '../docs/page-commands.js';
import { freePort } from '../support/origins/dns-server.js';

const MOST_PACKAGES = 20;
const MOST_BYTES = 90_000_000;
const PACKED =
  /^(?:(?:LICENSE|NOTICE|README\.md|CHANGELOG\.md|package\.json|npm-shrinkwrap\.json|sbom\.cdx\.json|config\.sample\.yaml|config\.schema\.json|bin\/vidimus\.js|scripts\/check-node\.mjs)$|dist\/server\/(?:LICENSES\.md|commit|.*\.(?:js|wasm))$|dist\/web-admin\/|prisma\/migrations\/)/;
const LICENCES =
  /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|LGPL-3\.0-or-later|MPL-2\.0)$/;

const [PACK = '', INSTALL = '', ASK = ''] = blocksOf('docs/INSTALL.md#A package of npm');

/** npm's cache first; a registry that is away is not waited for. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:VIDIMUS|VITEST|INIT_CWD)/.test(name));
  const npm = {
    prefer_offline: 'true',
    fetch_retries: '0',
    update_notifier: 'false',
    fetch_timeout: '20000',
  };
  const variables = Object.entries(npm).map(([name, value]) => [`npm_config_${name}`, value]);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(variables) } as NodeJS.ProcessEnv;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

/** For a build and an installation. */
const PATIENCE_MS = 180_000;

/** Packed and installed as INSTALL says, word for word but for the ports. */
describe('the package of npm', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let skipped: string | null = null;
  let running: Running;
  const sh = (text: string, cwd: string) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-euc', text], { encoding: 'utf8', cwd, env });
    if (status !== 0) throw new Error(`${text}: ${stderr}`);
    return stdout;
  };
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vidimus-installed-'));
    const listeners = [{ port: await freePort(), resources: ['keys', 'admin', 'health'] }];
    env = { ...npmEnvironment(), VIDIMUS__LISTENERS: JSON.stringify(listeners) };
    const tarball = sh(PACK, process.cwd()).trim().split('\n').at(-1) ?? '';
    await copyFile(tarball, path.join(folder, path.basename(tarball)));
    await rm(tarball);
    const [install = '', serve = ''] = INSTALL.trim().split('\n');
    try {
      sh(install, folder);
    } catch (error) {
      skipped = registryIsAway(String(error));
      if (skipped === null) throw error;
      return;
    }
    running = follow(spawn('sh', ['-euc', `exec ${serve}`], { cwd: folder, env }));
    await running.log('ready');
  }, PATIENCE_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds the program, and of packages only what cannot be bundled', async (context) => {
    context.skip(skipped !== null, skipped ?? '');
    const files = await filesBelow(path.join(folder, 'node_modules/vidimus'));
    const all = await filesBelow(path.join(folder, 'node_modules'));
    const sizes = await Promise.all(all.map((file) => stat(path.join(folder, 'node_modules', file))));

    expect(files.filter((file) => !PACKED.test(file) && !file.startsWith('node_modules/'))).toEqual([]);
    expect(
      all.filter((file) =>
        /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(`node_modules/${file}`),
      ).length,
    ).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('names every package that is bundled, with a free licence, and lists it in its SBOM', async (context) => {
    context.skip(skipped !== null, skipped ?? '');
    const list = await readFile(path.join(folder, 'node_modules/vidimus/sbom.cdx.json'), 'utf8');
    const sbom = JSON.parse(list) as { components: { name: string; version: string }[] };
    const listed = sbom.components.map(({ name, version }) => `${name} - ${version}`);
    for (const part of ['server', 'web-admin']) {
      const text = await readFile(
        path.join(folder, 'node_modules/vidimus/dist', part, 'LICENSES.md'),
        'utf8',
      );
      const licences = [...text.matchAll(/^## .+ \(([^()]+)\)$/gm)].map(([, licence = '']) => licence);
      const bundled = [...text.matchAll(/^## (\S+ - \S+) \([^()]+\)$/gm)].map(([, each = '']) => each);
      expect(licences.length).toBeGreaterThan(5);
      expect(bundled.filter((each) => !listed.includes(each))).toEqual([]);
      expect(
        licences.flatMap((each) => each.split(/ (?:AND|OR|and) /)).filter((each) => !LICENCES.test(each)),
      ).toEqual([]);
    }
  });

  it('answers key queries, serves the pages and stops', async (context) => {
    context.skip(skipped !== null, skipped ?? '');
    const url = await running.url('keys');
    const page = await fetch(`${url}/admin/`);
    await page.text();
    const asked = sh(ASK.replaceAll('http://127.0.0.1:8008', url), folder);
    running.child.kill('SIGTERM');

    expect(page.status).toBe(200);
    expect(asked).toMatch(/^Ready: .*\n\{.*"server_name":"localhost"/);
    expect((await running.finished).code).toBe(0);
  });
});
