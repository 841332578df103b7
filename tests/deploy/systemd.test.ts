import { MAX_LOOKUPS } from '../../src/composition/parts.js';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/config/parse-config.js';
import type { Config } from '../../src/config/schema.js';
import { follow, temporaryFolder } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { programMissing, runProgram, unitValues } from './unit-file.js';
import { storeToken } from '../support/store/stored-token.js';
import { setUp } from '../support/set-up.js';

const UNIT = 'deploy/systemd/vidimus.service';
const PROGRAM = resolve('bin/vidimus.js');
const MOST_EXPOSED = 2;

function defaults(): Config {
  const parsed = parseConfig({ server_name: 'a.org' });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

const undo: (() => unknown)[] = [];
const folder = setUp(temporaryFolder);
afterAll(async () => {
  for (const step of undo) step();
});

const analyzeMissing = programMissing('systemd-analyze', 'systemd');
describe.runIf(analyzeMissing === null)(`the unit of systemd ${analyzeMissing ?? ''}`, () => {
  it('has no line that systemd does not know', async () => {
    const here = join(folder.path, 'vidimus.service');
    await writeFile(here, readText(UNIT).replace('/usr/bin/vidimus', PROGRAM));

    expect(runProgram('systemd-analyze', ['verify', here])).toBe('');
  });

  it(`is exposed less than ${MOST_EXPOSED} of 10`, () => {
    const args = ['security', '--offline=true', `--threshold=${MOST_EXPOSED * 10 - 1}`, UNIT];

    expect(runProgram('systemd-analyze', args)).toMatch(
      /Overall exposure level for vidimus\.service: [01]\.\d/,
    );
  });
});

describe('the unit of systemd', () => {
  it('gives a stop the time that it takes by default', () => {
    const { close_delay: delayMs, drain_timeout: drainMs } = defaults().server;
    const lastMs = ['src/server/server.ts', 'src/server/service.ts', 'src/cli/serve/run-service.ts']
      .flatMap((file) => [
        ...readText(file).matchAll(/^const (?:LAST_WORD|CLOSE_TIMEOUT|EXIT_AFTER)_MS = (\d+);/gm),
      ])
      .map(([, value]) => Number(value));

    expect(lastMs).toHaveLength(3);
    const longestMs = lastMs.reduce((sum, ms) => sum + ms, delayMs + drainMs);
    expect(Number(unitValues('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(longestMs);
  });

  it('has a file open for each connection, look-up and more by default', () => {
    const { server } = defaults();

    expect(Number(unitValues('LimitNOFILE')[0])).toBeGreaterThan(2 * server.max_connections + MAX_LOOKUPS);
  });
});

/** Names of the system calls in a set of systemd, sets within it resolved. */
function systemCalls(set: string): string[] {
  const lines = runProgram('systemd-analyze', ['syscall-filter', set]).split('\n').slice(1);
  const names = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return names.flatMap((name) => (name.startsWith('@') ? systemCalls(name) : [name]));
}

/** Those the unit allows: its lines one after the other. */
function allowedCalls(): Set<string> {
  const allowed = new Set<string>();
  for (const line of unitValues('SystemCallFilter')) {
    const isDenied = line.startsWith('~');
    const names = line.replace('~', '').split(' ');
    for (const name of names.flatMap((each) => (each.startsWith('@') ? systemCalls(each) : [each]))) {
      if (isDenied) allowed.delete(name);
      else allowed.add(name);
    }
  }
  return allowed;
}

async function startSite(): Promise<{ url: string; close: () => void }> {
  const image = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#395' } })
    .png()
    .toBuffer();
  const page = '<title>T</title><meta property="og:image" content="/a.png">';
  const site = createServer((request, response) => {
    const isImage = request.url === '/a.png';
    response.setHeader('Content-Type', isImage ? 'image/png' : 'text/html').end(isImage ? image : page);
  });
  const port = await listenOnFreshPort(site, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}/`, close: () => void site.close() };
}

/** The unit's commands with the files of this folder instead of the machine's. */
function atHome(): { command: string[]; reload: string; env: NodeJS.ProcessEnv } {
  const words = Object.fromEntries(
    unitValues('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
  );
  const [start = ''] = unitValues('ExecStart');
  const own = {
    VIDIMUS_CONFIG: join(folder.path, 'config.yaml'),
    VIDIMUS__SERVER_NAME: 'notary.test',
    VIDIMUS__LISTENERS: '[{port: 0, resources: [keys, previews, media, health]}]',
    VIDIMUS__URL_PREVIEW_IP_RANGE_WHITELIST: '[127.0.0.1]',
  };
  return {
    command: start.replace('/usr/bin/vidimus', PROGRAM).split(' '),
    reload: unitValues('ExecReload')[0] ?? '',
    env: { PATH: process.env['PATH'], ...words, ...own },
  };
}

const straceMissing = programMissing('strace', 'strace') ?? analyzeMissing;
describe.runIf(straceMissing === null)(`the service as the unit starts it ${straceMissing ?? ''}`, () => {
  it('needs no system call that is refused, keeps its files to itself, reloads and stops', async () => {
    const site = await startSite();
    const { command, reload, env } = atHome();
    const config = readText('deploy/config.yaml').replaceAll('/var/lib/vidimus', join(folder.path, 'state'));
    await writeFile(join(folder.path, 'config.yaml'), config);
    const counts = join(folder.path, 'calls');
    const traced = ['-D', '-f', '-qq', '-c', '-o', counts, process.execPath, ...command];
    const shell = ['-c', `umask ${unitValues('UMask')[0]}; exec strace "$@"`, 'sh', ...traced];
    const child = spawn('sh', shell, { cwd: folder.path, env });
    undo.push(() => child.kill('SIGKILL'), site.close);
    const running = follow(child);
    await running.log('ready');
    const url = await running.url('keys');
    const database = {
      engine: 'sqlite',
      path: join(folder.path, 'state/vidimus.db'),
      synchronous: 'full',
    } as const;
    const token = await storeToken(database, { userId: '@a:notary.test', scopes: ['preview'] });
    const target = `${url}/_svc/media/v3/preview_url?url=${encodeURIComponent(site.url)}`;
    const answer = await fetch(target, { headers: { Authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ 'og:title': 'T', 'og:image:width': 900 });
    runProgram('sh', ['-c', reload.replace('$MAINPID', String(child.pid))]);
    await running.log('configuration reloaded');
    child.kill('SIGTERM');
    // The tracer holds the pipes until it has written what it saw.
    expect(await running.finished).toMatchObject({ code: 0, stderr: '' });

    const state = await readdir(join(folder.path, 'state'), { recursive: true });
    const modes = await Promise.all(
      state.map(async (name) => (await stat(join(folder.path, 'state', name))).mode),
    );
    expect(state.length).toBeGreaterThan(3);
    expect(modes.filter((mode) => (mode & 0o077) !== 0)).toEqual([]);

    const used = [...readFileSync(counts, 'utf8').matchAll(/^ *[\d.]+ .* (\w+)$/gm)].map(
      ([, name = '']) => name,
    );
    const allowed = allowedCalls();
    // V8 asks for protection keys and does without; SQLite gives files to the owner of the database for root only.
    const unneeded = ['pkey_alloc', 'fchown', 'total'];
    expect(used).toEqual(expect.arrayContaining(['setpriority', 'execve', 'futex']));
    expect(used.filter((name) => !allowed.has(name) && !unneeded.includes(name))).toEqual([]);
  });
});
