import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ProxyServer } from '../../../src/config/output/proxy.js';
import { listenOnFreshPort } from '../fresh-port.js';
import { REVERSE_PROXIES, type ProxySetting } from './reverse-proxies.js';

/** What the program says against a configuration; empty: nothing. */
export async function complaintsOf(
  server: ProxyServer,
  setting: Omit<ProxySetting, 'folder' | 'port'>,
): Promise<string> {
  const { program, check } = REVERSE_PROXIES[server];
  const { folder, file } = await writeSetting(server, { ...setting, port: await freePort() });
  const { status, stdout, stderr } = spawnSync(program, check(file, folder), environment(folder));
  await rm(folder, { recursive: true });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** A reverse proxy that runs. */
export interface RunningProxy {
  url: string;
  stop(): Promise<void>;
}

/** Starts it and waits until it listens. Rejects with what it says when it ends instead. */
export async function startProxy(
  server: ProxyServer,
  setting: Omit<ProxySetting, 'folder' | 'port'>,
): Promise<RunningProxy> {
  const { program, run } = REVERSE_PROXIES[server];
  const port = await freePort();
  const { folder, file } = await writeSetting(server, { ...setting, port });
  const child = spawn(program, run(file, folder), {
    ...environment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => void (said += text));
  const ended = once(child, 'close');
  const isUp = await Promise.race([listens(port), ended.then(() => false)]);
  if (!isUp) throw new Error(`${program} ended: ${said}`);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function writeSetting(server: ProxyServer, setting: Omit<ProxySetting, 'folder'>) {
  const folder = await mkdtemp(join(tmpdir(), `vidimus-${server}-`));
  const file = join(folder, 'configuration');
  await writeFile(file, REVERSE_PROXIES[server].configuration({ ...setting, folder }));
  return { folder, file };
}

/** They keep state below the home folder. */
function environment(folder: string) {
  return {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder },
    encoding: 'utf8',
  } as const;
}

/** The programs take no port 0. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreshPort(server, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listens(port: number): Promise<true> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
    if (isOpen) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
