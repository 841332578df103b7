import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { listenOnFreshPort } from '../support/fresh-port.js';

const NPM = { timeout: 60_000 };

/** A checkout that needs one package, and a registry on loopback that has it. npm is the real one. */
describe('the installation of packages', NPM, () => {
  let root: string;
  let registry: Server;
  let url: string;
  let isSilent: boolean;
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const need = (version: string) => {
    const integrity = `sha512-${createHash('sha512').update(archive()).digest('base64')}`;
    const manifest = { name: 'checkout', version: '1.0.0', devDependencies: { tiny: version } };
    const tiny = { version, integrity, dev: true };
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: object };
    write('package.json', JSON.stringify({ ...manifest, engines }));
    const packages = { '': manifest, 'node_modules/tiny': tiny };
    write('package-lock.json', JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages }));
  };
  const archive = () => readFileSync(join(root, 'tiny.tgz'));
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const dist = { tarball: `${url}tiny.tgz` };
    const versions = { '1.0.0': { name: 'tiny', version: '1.0.0', dist } };
    const isArchive = request.url === '/tiny.tgz';
    const list = { name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions };
    response.end(isArchive ? archive() : JSON.stringify(list));
  };
  const environment = () => ({
    ...process.env,
    PATH: `${join(root, 'bin')}:${process.env.PATH ?? ''}`,
    npm_execpath: undefined,
    npm_config_registry: url,
    npm_config_cache: join(root, 'cache'),
    npm_config_userconfig: join(root, 'none'),
    npm_config_omit: 'dev',
    NODE_ENV: 'production',
    // Else its first question is about a newer npm, before it installs anything.
    CI: 'true',
  });
  /** `apart`: what the command begins with. */
  const start = (program: string, apart: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const [command, ...args] = [...apart, process.execPath, '--input-type=module', '-e', program];
    const child = spawn(command, args, { cwd: root, env: { ...environment(), ...env } });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
    return { child, ended };
  };
  const script = (name: string) => pathToFileURL(join(root, 'scripts', name)).href;
  const installing = (then: 'keep' | 'undo') => {
    const say = '(text) => process.stderr.write(`${text}\\n`)';
    return `const { install } = await import('${script('install.mjs')}');
      (await install('${root}', { hold() {}, say: ${say} })).${then}();`;
  };
  const install = (then: 'keep' | 'undo') => start(installing(then)).ended;
  const building = () => `await import('${script('build.mjs')}')`;
  const prepare = () => start(building());
  const installed = () => readFileSync(join(root, 'node_modules/tiny/index.js'), 'utf8');

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'vidimus-install-'));
    cpSync('scripts', join(root, 'scripts'), { recursive: true });
    write('package/package.json', JSON.stringify({ name: 'tiny', version: '1.0.0' }));
    write('package/index.js', 'new\n');
    spawnSync('tar', ['-czf', 'tiny.tgz', 'package'], { cwd: root });
    write('node_modules/tiny/index.js', 'old\n');
    // As version managers put it into the path: a script of the shell that does not give way to the real program.
    write('bin/npm', `#!/bin/sh\n'${realNpm()}' "$@"\nexit $?\n`);
    chmodSync(join(root, 'bin/npm'), 0o755);
    isSilent = false;
    registry = createServer((request, response) => {
      if (!isSilent) answer(request, response);
    });
    url = `http://127.0.0.1:${await listenOnFreshPort(registry, '127.0.0.1')}/`;
    need('1.0.0');
  });
  afterEach(() => {
    registry.closeAllConnections();
    registry.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('brings what is for development, too, under NODE_ENV=production and omit=dev', async () => {
    expect(await install('keep')).toMatchObject({ code: 0 });

    expect(installed()).toBe('new\n');
    expect(readdirSync(join(root, 'dist'))).toEqual([]);
  });

  it('gives the packages of before back when what follows fails', async () => {
    expect(await install('undo')).toMatchObject({ code: 0 });

    expect(installed()).toBe('old\n');
    expect(readdirSync(join(root, 'dist'))).toEqual([]);
  });

  it('needs no network once the cache has everything', async () => {
    await install('undo');
    registry.close();

    expect(await install('keep')).toMatchObject({ code: 0 });

    expect(installed()).toBe('new\n');
  });

  it('says in one sentence that the registry is away, and leaves the packages alone', async () => {
    registry.close();

    const { code, stderr } = await prepare().ended;

    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^vidimus: the npm registry cannot be reached \(ECONNREFUSED\), and the cache of npm lacks packages: /,
    );
    expect(installed()).toBe('old\n');
    expect(existsSync(join(root, 'dist/prepare.lock'))).toBe(false);
  });

  const refused = withoutNetworkRefused();
  it.runIf(refused === null)(
    `says the same where no name server can be reached ${refused ?? ''}`,
    async () => {
      const env = { npm_config_registry: 'https://registry.test/' };
      const { code, stderr } = await start(building(), WITHOUT_NETWORK, env).ended;

      expect(code).toBe(1);
      expect(stderr.trim().split('\n').at(-1)).toMatch(
        /^vidimus: the npm registry cannot be reached \(EAI_AGAIN\), and the cache of npm lacks packages: /,
      );
      expect(installed()).toBe('old\n');
    },
  );

  it('says that it goes on while the registry keeps it waiting', async () => {
    isSilent = true;
    const asked = once(registry, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const { child, ended } = start(`
      const { mock } = await import('node:test');
      mock.timers.enable({ apis: ['setInterval'] });
      process.stdin.once('data', () => mock.timers.tick(10_000)).unref();
      ${installing('keep')}`);
    const [request, response] = await asked;
    const said = once(child.stderr, 'data');
    child.stdin.write('ten seconds later');
    await said;
    isSilent = false;
    answer(request, response);

    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /installing packages from .*\n(?:.*\n)*still installing packages, for \d+ s …\n/,
      ),
    });
  });

  it('hands Ctrl-C on to npm, waits for its end, and leaves nothing in the way of the next start', async () => {
    isSilent = true;
    const asked = once(registry, 'request');
    const { child, ended } = prepare();
    const [request] = (await asked) as [IncomingMessage];
    const npmGone = once(request.socket, 'close');
    const owners = readdirSync(join(root, 'dist/prepare.lock'));
    child.kill('SIGINT');

    const { code, stderr } = await ended;
    await npmGone;

    expect(owners).toHaveLength(2);
    expect([code, stderr]).toEqual([130, expect.stringContaining('vidimus: npm ci was stopped\n')]);
    expect(existsSync(join(root, 'dist/prepare.lock'))).toBe(false);
    expect(installed()).toBe('old\n');
    isSilent = false;
    expect(await install('keep')).toMatchObject({ code: 0 });
    expect(installed()).toBe('new\n');
  });
});

const WITHOUT_NETWORK = ['unshare', '--map-root-user', '--net'];

/** Why nothing can be run without the machine's network; `null` where it can. */
function withoutNetworkRefused(): string | null {
  const [command, ...args] = [...WITHOUT_NETWORK, 'true'];
  return spawnSync(command, args).status === 0 ? null : 'skipped: no namespace of a network can be made here';
}

function realNpm(): string {
  return spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
}
