import { spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { formatConfigError } from '../../src/config/config-errors.js';
import { loadConfig } from '../../src/config/load-config.js';
import { proxyLines } from '../../src/config/output/proxy.js';
import type { Config } from '../../src/config/schema.js';
import { follow, logLines, temporaryFolder } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';
import { createTestAuthority } from '../support/origins/remote-server.js';
import { proxyMissing } from '../support/proxies/reverse-proxies.js';
import { stageProgram, type Staged } from './staged.js';
import { programMissing, runProgram } from './unit-file.js';
import { setUp } from '../support/set-up.js';

const FOLDER = 'deploy/container';
const COMPOSE_FILES = ['compose.yaml', 'compose.homeserver.yaml', 'compose.instances.yaml'];
const SHARED = 'compose.instances.yaml';
const VARIABLES: Record<string, string> = {
  SERVER_NAME: 'example.org',
  POSTGRES_PASSWORD: 'secret',
  HOMESERVER_IMAGE: 'homeserver',
  TLS_FOLDER: '/etc/tls',
  S3_SECRET_ACCESS_KEY: 'secret',
};

interface ComposeService {
  image?: string;
  entrypoint?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
}

function servicesOf(file: string): Record<string, ComposeService> {
  const text = readText(`${FOLDER}/${file}`).replaceAll(
    /\$\{(\w+):(?:\?|-([^}]*))[^}]*\}/g,
    (_all, name: string, otherwise?: string) => VARIABLES[name] ?? otherwise ?? `no ${name}`,
  );
  return (parse(text, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

const folder = setUp(temporaryFolder);
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  await writeFile(join(folder.path, 'homeserver.signing.key'), `ed25519 a_1 ${'A'.repeat(43)}\n`, {
    mode: 0o600,
  });
});
afterAll(async () => {
  for (const step of undo) await step();
});

/** The configuration that a service of a compose file runs with. */
async function configOf({ environment = {}, volumes = [] }: ComposeService): Promise<Config> {
  const mounted = volumes.find((volume) => volume.includes(':/etc/vidimus/config.yaml'))?.split(':')[0];
  const text = readText(`${FOLDER}/${mounted?.slice('./'.length) ?? 'config.yaml'}`);
  await writeFile(join(folder.path, 'config.yaml'), text.replaceAll('/keys/', `${folder.path}/`));
  const loaded = loadConfig({ path: 'config.yaml', env: environment, cwd: folder.path });
  if (!loaded.ok) throw new Error(loaded.errors.map(formatConfigError).join('\n'));
  const { endpoint } = loaded.config.media.s3;
  // Nobody else is on the way to a service of the same file.
  const isInner = endpoint !== null && Object.keys(servicesOf(SHARED)).includes(new URL(endpoint).hostname);
  expect(loaded.warnings.map(({ setting }) => setting)).toEqual(isInner ? ['media.s3.endpoint'] : []);
  return loaded.config;
}

const own = COMPOSE_FILES.flatMap((file) =>
  Object.entries(servicesOf(file))
    .filter(([, { image }]) => image === 'vidimus')
    .map(([name, service]) => ({ file, name, service })),
);

describe('the compose files', () => {
  const missing = programMissing('docker-compose', 'docker-compose');
  it.skipIf(missing !== null).each(COMPOSE_FILES)(`%s is read by docker-compose ${missing ?? ''}`, (file) => {
    const args = ['-f', `${FOLDER}/${file}`, 'config', '-q'];
    const { status, stdout, stderr } = spawnSync('docker-compose', args, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...VARIABLES },
    });

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each(own)(
    '$file: $name has a configuration without errors, and publishes what it serves',
    async ({ service }) => {
      const { listeners, database, signing_key_path: keyPath } = await configOf(service);
      const open = listeners
        .filter(({ bind_addresses: [address] }) => address === '0.0.0.0')
        .map(({ port }) => port);
      const published = (service.ports ?? [])
        .map((port) => Number(port.split(':').at(-1)))
        .filter((port) => port !== 443);

      expect(open).toEqual(expect.arrayContaining(published));
      expect(listeners.some(({ resources }) => resources.includes('health'))).toBe(true);
      const state = [keyPath, database.engine === 'sqlite' ? database.path : null].filter(
        (path) => path !== null,
      );
      expect(state.every((path) => path.startsWith('/var/lib/vidimus/'))).toBe(true);
    },
  );

  it.each(own)('$file: $name shows operators and metrics to its own machine only', async ({ service }) => {
    const { listeners } = await configOf(service);
    const inner = listeners
      .filter(({ resources }) => resources.includes('admin') || resources.includes('metrics'))
      .map(({ port }) => String(port));
    const published = (service.ports ?? []).filter((port) => inner.includes(port.split(':').at(-1) ?? ''));

    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it.each(own)(
    '$file: $name has no rights, writes nowhere else and has time to stop',
    async ({ service }) => {
      const { server } = await configOf(service);

      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      const graceMs = 1000 * Number(service.stop_grace_period?.replace('s', ''));
      expect(graceMs).toBeGreaterThan(server.close_delay + server.drain_timeout + 10_500);
    },
  );
});

/** nginx' own lines without indentation, comments and empty lines. */
const bare = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('the configurations of nginx', () => {
  const cases = [
    { file: 'nginx.homeserver.conf', compose: 'compose.homeserver.yaml', service: 'vidimus' },
    { file: 'nginx.instances.conf', compose: 'compose.instances.yaml', service: 'vidimus-1' },
  ];
  const instances = ['vidimus-1', 'vidimus-2', 'vidimus-3'];

  it.each(cases)('$file has the lines that the command prints', async ({ file, compose, service }) => {
    const services = servicesOf(compose);
    const config = await configOf(services[service] ?? {});
    const lines = bare(proxyLines(config, 'nginx')).flatMap((line) =>
      line === 'server 127.0.0.1:8008;' && compose.includes('instances')
        ? instances.map((name) => `server ${name}:8008;`)
        : [line],
    );
    const written = bare(readText(`${FOLDER}/${file}`));
    let from = 0;
    const absent = lines.filter((line) => {
      const at = written.indexOf(line, from);
      if (at >= 0) from = at + 1;
      return at < 0;
    });

    expect(absent).toEqual([]);
    expect(lines.length).toBeGreaterThan(20);
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(file.includes('inst') ? instances : ['homeserver']),
    );
  });

  const missing = proxyMissing('nginx');
  it.skipIf(missing !== null).each(cases)(`$file is read by nginx ${missing ?? ''}`, async ({ file }) => {
    const authority = await createTestAuthority();
    undo.push(() => authority.remove());
    const { cert, key } = await authority.leaf({ names: ['example.org'] });
    const text = readText(`${FOLDER}/${file}`)
      .replaceAll('/etc/nginx/tls', folder.path)
      .replaceAll(/server (?:homeserver|vidimus-\d):/g, 'server 127.0.0.1:');
    await writeFile(join(folder.path, 'fullchain.pem'), cert);
    await writeFile(join(folder.path, 'privkey.pem'), key);
    await writeFile(join(folder.path, file), `pid ${folder.path}/pid; error_log stderr;\n${text}`);

    expect(runProgram('/usr/sbin/nginx', ['-t', '-q', '-e', 'stderr', '-c', join(folder.path, file)])).toBe(
      '',
    );
  });
});

/** Arguments of an instruction of the Containerfile, those of its last stage last. */
function instructions(name: string): string[] {
  const lines = readText(`${FOLDER}/Containerfile`).split('\n');
  return lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

const wordsIn = (list: string) => JSON.parse(list.slice(list.indexOf('['))) as string[];

describe('what the image starts', () => {
  let staged: Staged;
  beforeAll(async () => {
    staged = await stageProgram();
    undo.push(() => staged.remove());
  });

  it('runs as a user without rights, asks itself whether it is ready, stops, and writes to its volume only', async (context) => {
    context.skip(staged.missing !== null, staged.missing ?? '');
    const program = staged.folder ?? '';
    const state = join(program, '..', 'state');
    await mkdir(state, { mode: 0o700 });
    const [uid = 0] = (instructions('USER')[0] ?? '').split(':').map(Number);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(state, uid, uid);
    const user = isRoot ? { uid, gid: uid } : {};
    const config = readText(`${FOLDER}/config.yaml`).replaceAll('/var/lib/vidimus', state);
    const configPath = join(program, '..', 'config.yaml');
    await writeFile(configPath, config.replaceAll(/port: \d+/g, 'port: 0'));
    await chmod(configPath, 0o644);
    const before = (await readdir(program, { recursive: true })).length;
    const variables = Object.fromEntries(instructions('ENV').map((line) => line.split('=')));
    const env = {
      PATH: process.env['PATH'],
      ...variables,
      VIDIMUS_CONFIG: configPath,
      VIDIMUS__SERVER_NAME: 'notary.test',
    };
    const [entry = ''] = instructions('ENTRYPOINT');
    expect(wordsIn(entry)).toEqual(['vidimus']);
    const bin = join(program, 'bin', 'vidimus.js');

    const child = spawn(bin, wordsIn(instructions('CMD')[0] ?? ''), { cwd: state, env, ...user });
    undo.push(() => child.kill('SIGKILL'));
    const running = follow(child);
    await running.log('ready');
    const ports = logLines(running.stdout())
      .filter(({ msg }) => msg === 'listening')
      .map(({ url }) => new URL(String(url)).port);
    await writeFile(
      configPath,
      config.replaceAll(/port: \d+/g, () => `port: ${ports.shift()}`),
    );
    const [vidimus, ...asking] = wordsIn(instructions('HEALTHCHECK')[0] ?? '');
    const asked = spawnSync(bin, asking, { cwd: state, env, encoding: 'utf8', ...user });
    child.kill('SIGTERM');

    expect(vidimus).toBe('vidimus');
    expect(asked).toMatchObject({ status: 0, stderr: '' });
    expect(await running.finished).toMatchObject({ code: 0, signal: null });
    expect(await readdir(state)).toEqual(expect.arrayContaining(['signing.key', 'vidimus.db']));
    expect((await readdir(program, { recursive: true })).length).toBe(before);
  });
});
