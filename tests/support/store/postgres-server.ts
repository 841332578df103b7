import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PostgreSQL refuses to run as root; `nobody` has this number on every common system. */
const NOBODY = 65_534;
const DEBIAN_SERVERS = '/usr/lib/postgresql';
const READY = /database system is ready to accept connections/;
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '80',
  shared_buffers: '32MB',
  fsync: 'off',
  full_page_writes: 'off',
};

interface Binaries {
  initdb: string;
  postgres: string;
}

/** A real server on loopback with a data folder of its own, which may be stopped and started again. */
export interface PostgresServer {
  /** Connection URL of one database. */
  url(database?: string): string;
  /** Nothing is to be done where it runs. */
  start(): Promise<void>;
  /** Immediate stop: open connections break, as in a crash. */
  stop(): Promise<void>;
  /** Halts all its processes where they are (Linux): it takes connections and questions and answers none. */
  freeze(): void;
  thaw(): void;
  /** What it has logged since its last start. */
  log(): string;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Makes and starts a server from Debian's binaries, its data in a new folder below `place`. */
export async function startPostgresServer(
  place = tmpdir(),
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const server = await createCluster(findBinaries(), place, settings);
  await server.start();
  return server;
}

function findBinaries(): Binaries {
  const versions = existsSync(DEBIAN_SERVERS) ? readdirSync(DEBIAN_SERVERS) : [];
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new Error(`PostgreSQL is not installed: ${DEBIAN_SERVERS} has no server`);
  const folder = join(DEBIAN_SERVERS, newest, 'bin');
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

async function createCluster(
  binaries: Binaries,
  place: string,
  settings: Record<string, string>,
): Promise<PostgresServer> {
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = await mkdtemp(join(place, 'vidimus-pg-'));
  const password = randomBytes(12).toString('hex');
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  await chmod(folder, 0o755);
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (owner.uid !== undefined) {
    await chown(data, owner.uid, owner.gid);
    await chown(passwordFile, owner.uid, owner.gid);
  }
  const flags = ['--no-sync', '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--username=vidimus'];
  const initdb = spawn(binaries.initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...flags], {
    ...owner,
    cwd: folder,
  });
  await succeeded(initdb);
  return serve({ binaries, owner, folder, password, settings: { ...SETTINGS, ...settings } });
}

interface Cluster {
  binaries: Binaries;
  owner: { uid?: number; gid?: number };
  /** `data` lies in it. */
  folder: string;
  password: string;
  settings: Record<string, string>;
}

async function serve(cluster: Cluster): Promise<PostgresServer> {
  const { binaries, owner, folder, password, settings } = cluster;
  const port = await freePort();
  let child: ChildProcess | null = null;
  let log = (): string => '';
  const stop = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGQUIT');
    await once(running, 'exit');
  };
  const start = async (): Promise<void> => {
    if (child !== null && child.exitCode === null && child.signalCode === null) return;
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', join(folder, 'data'), '-p', String(port), ...given];
    child = spawn(binaries.postgres, args, { ...owner, cwd: folder });
    log = await ready(child);
  };
  return {
    url: (database = 'postgres') => `postgresql://vidimus:${password}@127.0.0.1:${port}/${database}`,
    start,
    log: () => log(),
    stop,
    freeze: () => signalAll(child, 'SIGSTOP'),
    thaw: () => signalAll(child, 'SIGCONT'),
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signals a server and the processes it started. */
function signalAll(server: ChildProcess | null, signal: NodeJS.Signals): void {
  const pid = server?.pid;
  if (pid === undefined) throw new Error('postgres does not run');
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const one of [pid, ...started.map(Number)]) process.kill(one, signal);
}

async function succeeded(child: ChildProcess): Promise<void> {
  const output = collect(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb ended with ${String(code)}: ${output()}`);
}

async function ready(child: ChildProcess): Promise<() => string> {
  const output = collect(child);
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', () => {
      if (READY.test(output())) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`postgres ended: ${output()}`)));
  });
  return output;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  const append = (part: Buffer): void => {
    text = (text + part.toString()).slice(-100_000);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  return () => text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
